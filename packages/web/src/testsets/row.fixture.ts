import type { TestRow } from "@agate/protocol";

/** A row of which only what matters is told. */
export function rowOf(id: string, given: Partial<TestRow> = {}): TestRow {
  return { id, inputs: { text: id }, metadata: {}, tags: [], source: null, ...given };
}
