import type { RowDiff, TestRow } from "@agate/protocol";
import { canonicalJson } from "@agate/protocol/testsets";
import type { RowsCommit } from "../api/testsets.ts";

/** What a draft does to one row. */
export type RowChange =
  | { readonly kind: "added"; readonly row: TestRow }
  | { readonly kind: "changed"; readonly row: TestRow; readonly before: TestRow }
  | { readonly kind: "removed"; readonly before: TestRow };

/** A draft: changes by the id of the row, on top of a revision. */
export type RowChanges = ReadonlyMap<string, RowChange>;

export const NO_CHANGES: RowChanges = new Map();

/** Sets a row. One that is as before is no change. */
export function withRow(changes: RowChanges, row: TestRow, before: TestRow | null): RowChanges {
  const next = new Map(changes);
  if (before === null) next.set(row.id, { kind: "added", row });
  else if (isSameRow(before, row)) next.delete(row.id);
  else next.set(row.id, { kind: "changed", row, before });
  return next;
}

/** Removes a row; one that the draft has added is gone. */
export function withoutRow(changes: RowChanges, id: string, before: TestRow | null): RowChanges {
  const next = new Map(changes);
  if (before === null) next.delete(id);
  else next.set(id, { kind: "removed", before });
  return next;
}

export function reverted(changes: RowChanges, id: string): RowChanges {
  const next = new Map(changes);
  next.delete(id);
  return next;
}

/** How an import is applied: its rows replace all others, or are added to them. */
export type ImportMode = "replace" | "add";

/**
 * The changes that make imported rows of current ones. Rows are the same where their ids are; purged
 * ones stay as they are.
 */
export function importChanges(
  current: readonly TestRow[],
  imported: readonly TestRow[],
  mode: ImportMode,
): RowChanges {
  const known = new Map(current.map((row) => [row.id, row]));
  const changes = new Map<string, RowChange>();
  for (const row of imported) {
    const before = known.get(row.id);
    if (before === undefined) changes.set(row.id, { kind: "added", row });
    // The platform refuses content for a purged row.
    else if (!before.purged && !isSameRow(before, row)) {
      changes.set(row.id, { kind: "changed", row, before });
    }
    known.delete(row.id);
  }
  if (mode === "replace") {
    for (const [id, before] of known) changes.set(id, { kind: "removed", before });
  }
  return changes;
}

export interface ChangeCounts {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

export function changeCounts(changes: RowChanges): ChangeCounts {
  const counts = { added: 0, changed: 0, removed: 0 };
  for (const { kind } of changes.values()) counts[kind]++;
  return counts;
}

/** @example countsText({ added: 2, changed: 0, removed: 1 }) // "2 added, 1 removed" */
export function countsText(counts: ChangeCounts): string {
  const parts = (["added", "changed", "removed"] as const).filter((kind) => counts[kind] > 0);
  if (parts.length === 0) return "No changes";
  return parts.map((kind) => `${counts[kind].toLocaleString("en")} ${kind}`).join(", ");
}

export function commitOf(changes: RowChanges): Pick<RowsCommit, "upsert" | "delete"> {
  const all = [...changes];
  return {
    upsert: all.flatMap(([, change]) => (change.kind === "removed" ? [] : [change.row])),
    delete: all.flatMap(([id, { kind }]) => (kind === "removed" ? [id] : [])),
  };
}

/** The rows that both the draft and a newer revision have changed, and not in the same way. */
export function conflictsWith(changes: RowChanges, newer: readonly RowDiff[]): readonly string[] {
  return newer.flatMap((diff) => {
    const change = changes.get(diff.id);
    if (change === undefined) return [];
    const theirs = diff.change === "removed" ? null : diff.to;
    const ours = change.kind === "removed" ? null : change.row;
    const isSame = theirs === null || ours === null ? theirs === ours : isSameRow(theirs, ours);
    return isSame ? [] : [diff.id];
  });
}

/** The same draft on top of a newer revision: where both have changed a row, the draft counts. */
export function onTopOf(changes: RowChanges, newer: readonly RowDiff[]): RowChanges {
  let next = changes;
  for (const diff of newer) {
    const change = next.get(diff.id);
    if (change === undefined) continue;
    const before = diff.change === "removed" ? null : diff.to;
    next =
      change.kind === "removed"
        ? withoutRow(next, diff.id, before)
        : withRow(next, change.row, before);
  }
  return next;
}

function isSameRow(one: TestRow, other: TestRow): boolean {
  return canonicalJson(contentOf(one)) === canonicalJson(contentOf(other));
}

function contentOf({ inputs, metadata, tags, source, ...row }: TestRow): unknown {
  const expected = "expected" in row ? { value: row.expected } : null;
  return [inputs, metadata, tags, source, expected, row.purged === true];
}
