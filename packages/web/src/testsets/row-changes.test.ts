import type { RowDiff, TestRow } from "@agate/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rowOf } from "./row.fixture.ts";
import {
  changeCounts,
  commitOf,
  conflictsWith,
  countsText,
  importChanges,
  NO_CHANGES,
  onTopOf,
  type RowChanges,
  reverted,
  withoutRow,
  withRow,
} from "./row-changes.ts";

const kinds = (changes: RowChanges) =>
  Object.fromEntries([...changes].map(([id, { kind }]) => [id, kind]));

describe("a draft of rows", () => {
  const a = rowOf("a");

  it("has what differs from the revision", () => {
    const edited = { ...a, expected: null };
    expect(kinds(withRow(NO_CHANGES, edited, a))).toEqual({ a: "changed" });
    expect(withRow(withRow(NO_CHANGES, edited, a), { ...a }, a).size).toBe(0);
    expect(kinds(withRow(NO_CHANGES, a, null))).toEqual({ a: "added" });
    expect(withoutRow(withRow(NO_CHANGES, a, null), "a", null).size).toBe(0);
    expect(kinds(withoutRow(withRow(NO_CHANGES, edited, a), "a", a))).toEqual({ a: "removed" });
    expect(reverted(withoutRow(NO_CHANGES, "a", a), "a").size).toBe(0);
  });

  it("is committed as rows and ids, and counted", () => {
    const draft = withoutRow(withRow(NO_CHANGES, rowOf("b"), null), "a", a);
    expect(commitOf(draft)).toEqual({ upsert: [rowOf("b")], delete: ["a"] });
    expect(countsText(changeCounts(draft))).toBe("1 added, 1 removed");
    expect(countsText(changeCounts(NO_CHANGES))).toBe("No changes");
  });
});

const anyRows = fc
  .uniqueArray(fc.constantFrom("a", "b", "c", "d"))
  .chain((ids) => fc.tuple(...ids.map((id) => fc.nat(1).map((n) => rowOf(id, { inputs: { n } })))));

function applied(rows: readonly TestRow[], changes: RowChanges): readonly TestRow[] {
  const { upsert, delete: removed } = commitOf(changes);
  const next = new Map([...rows, ...upsert].map((row) => [row.id, row]));
  for (const id of removed) next.delete(id);
  return [...next.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}

describe("an import", () => {
  it("makes the imported rows of the current ones, or adds them, and changes nothing twice", () => {
    fc.assert(
      fc.property(anyRows, anyRows, (current, imported) => {
        const replaced = applied(current, importChanges(current, imported, "replace"));
        expect(replaced).toEqual(applied(imported, NO_CHANGES));
        expect(importChanges(replaced, imported, "replace").size).toBe(0);
        const added = importChanges(current, imported, "add");
        expect(changeCounts(added).removed).toBe(0);
        expect(importChanges(applied(current, added), imported, "add").size).toBe(0);
      }),
    );
  });

  it("leaves purged rows empty, and removes those that are replaced", () => {
    const purged = { ...rowOf("a"), inputs: {}, purged: true } as const;
    expect(importChanges([purged], [rowOf("a")], "replace").size).toBe(0);
    expect(kinds(importChanges([purged], [], "replace"))).toEqual({ a: "removed" });
  });
});

describe("a draft on top of a newer revision", () => {
  it("leads to the same rows as if it had been made there, and names what both have changed", () => {
    fc.assert(
      fc.property(anyRows, anyRows, anyRows, (base, theirs, ours) => {
        const draft = importChanges(base, ours, "replace");
        const diffs = [...importChanges(base, theirs, "replace")].map(([id, change]): RowDiff => {
          if (change.kind === "added") return { id, change: "added", to: change.row };
          if (change.kind === "removed") return { id, change: "removed", from: change.before };
          return { id, change: "changed", from: change.before, to: change.row };
        });
        const moved = onTopOf(draft, diffs);
        // The draft counts where it says something; else the newer revision.
        expect(applied(theirs, moved)).toEqual(applied(theirs, draft));
        for (const change of moved.values()) {
          if (change.kind === "added") expect(theirs).not.toContainEqual(change.row);
          else expect(theirs).toContainEqual(change.before);
        }
        for (const id of conflictsWith(draft, diffs)) {
          const find = (rows: readonly TestRow[]) => rows.find((row) => row.id === id);
          expect(find(ours)).not.toEqual(find(theirs));
        }
      }),
    );
  });

  it("has no conflict where both did the same", () => {
    const b = rowOf("b");
    const draft = withRow(NO_CHANGES, b, null);
    expect(conflictsWith(draft, [{ id: "b", change: "added", to: { ...b } }])).toEqual([]);
    const other = { ...b, expected: 1 };
    expect(conflictsWith(draft, [{ id: "b", change: "added", to: other }])).toEqual(["b"]);
    expect(conflictsWith(draft, [{ id: "b", change: "removed", from: b }])).toEqual(["b"]);
  });
});
