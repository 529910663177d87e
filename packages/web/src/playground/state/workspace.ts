import type { ConfigValues } from "../../config-form/config-values.ts";
import type { InputDraft } from "../../input-form/input-draft.ts";
import type { ConfigSource } from "./config-source.ts";

/** A committed revision; 0 is a variant in which nothing is committed yet. */
export interface RevisionName {
  readonly variant: string;
  readonly revision: number;
}

/** What is edited and not committed. */
export interface Draft {
  /** What it was made from, pinned; null for the schema's defaults. */
  readonly base: RevisionName | null;
  /** Only the fields that were changed: whatever else the base has, stays. */
  readonly changes: ConfigValues;
}

/** The recorded call that a column was taken from. */
export interface Origin {
  readonly traceId: string;
  readonly spanId: string;
  /** `default@3 in production`; empty where the call named nothing. */
  readonly ranWith: string;
}

/** A configuration beside others. */
export interface Column {
  readonly id: number;
  readonly source: ConfigSource;
  readonly draft: Draft | null;
  readonly origin: Origin | null;
}

/** Inputs that are kept. */
export interface TestCase {
  readonly id: number;
  readonly name: string;
  readonly draft: InputDraft;
}

/** Everything that is set up for one route; the same for whoever opens its address. */
export interface Workspace {
  readonly columns: readonly Column[];
  readonly cases: readonly TestCase[];
}

/** A number that none of them has. */
export function freeId(taken: readonly { readonly id: number }[]): number {
  return Math.max(0, ...taken.map(({ id }) => id)) + 1;
}

/** "Case 3": the first that no case is called. */
export function freeName(cases: readonly TestCase[]): string {
  const taken = new Set(cases.map(({ name }) => name));
  let number = cases.length + 1;
  while (taken.has(`Case ${number}`)) number += 1;
  return `Case ${number}`;
}

export function columnOf(id: number, source: ConfigSource): Column {
  return { id, source, draft: null, origin: null };
}
