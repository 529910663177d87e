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

/** The numbers of several such blobs. */
export function collectedNumbers(blobs: readonly Uint8Array[]): Float64Array<ArrayBuffer> {
  const bytes = new Uint8Array(blobs.reduce((length, blob) => length + blob.length, 0));
  let at = 0;
  for (const blob of blobs) {
    bytes.set(blob, at);
    at += blob.length;
  }
  return new Float64Array(bytes.buffer);
}
