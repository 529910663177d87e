import type { DatabaseSync } from "node:sqlite";

/** Adds the SQL aggregate `collect_numbers(number)`: those that are not null, as a blob of doubles. */
export function registerCollectNumbers(db: DatabaseSync): void {
  db.aggregate("collect_numbers", {
    deterministic: true,
    start: () => [] as unknown as null,
    step: (numbers: unknown, value: unknown) => {
      if (typeof value === "number") (numbers as number[]).push(value);
      return numbers as null;
    },
    result: (numbers: unknown) => new Uint8Array(new Float64Array(numbers as number[]).buffer),
  });
}

/** The numbers in such a blob. */
export function collectedNumbers(blob: Uint8Array): Float64Array<ArrayBuffer> {
  // Copied: SQLite's bytes may lie where no number can begin.
  return new Float64Array(Uint8Array.from(blob).buffer);
}
