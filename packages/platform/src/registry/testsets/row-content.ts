import { createHash } from "node:crypto";
import type { TestRow } from "@agate/protocol";
import { canonicalJson } from "@agate/protocol/testsets";

/** A row as it is stored. */
export interface StoredRow {
  readonly id: string;
  /** The same for rows with the same content, however it is written. */
  readonly hash: string;
  readonly bytes: number;
  /** JSON: the row without its id. */
  readonly content: string;
  readonly isPurged: boolean;
}

/** What is left of a purged row. */
export const PURGED = { hash: "purged", content: "{}", bytes: 2, purged: 1 } as const;

export function toStoredRow({ id, purged, ...content }: TestRow): StoredRow {
  if (purged) return { id, hash: PURGED.hash, bytes: 2, content: PURGED.content, isPurged: true };
  const json = JSON.stringify(content);
  const hash = createHash("sha256").update(canonicalJson(content)).digest("hex");
  return { id, hash, bytes: Buffer.byteLength(json), content: json, isPurged: false };
}

/** @param purged 0 or 1. */
export function toTestRow(id: string, content: string, purged: number): TestRow {
  if (purged === 1) return { id, inputs: {}, metadata: {}, tags: [], source: null, purged: true };
  return { id, ...(JSON.parse(content) as Omit<TestRow, "id">) };
}
