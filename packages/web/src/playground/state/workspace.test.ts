import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arbitraryWorkspace } from "./arbitrary-workspace.fixture.ts";
import type { Workspace } from "./workspace.ts";
import { isStep, reduceWorkspace, type WorkspaceAction, workspaceText } from "./workspace.ts";
import { readLink, writeLink } from "./workspace-link.ts";

const base = { variant: "default", revision: 3 };
const empty = { mode: "json", text: "{}" } as const;
const begun: Workspace = {
  columns: [{ id: 1, source: { kind: "revision", ...base }, draft: null, origin: null }],
  cases: [{ id: 1, name: "Case 1", draft: empty }],
};

function edit(values: Readonly<Record<string, unknown>>): WorkspaceAction {
  return { kind: "edit", column: 1, base, baseValues: { tone: "plain", sentences: 3 }, values };
}

function after(...actions: readonly WorkspaceAction[]): Workspace {
  return actions.reduce(reduceWorkspace, begun);
}

describe("A column", () => {
  test("becomes a draft of what it showed, with the fields that differ alone", () => {
    const { columns } = after(edit({ tone: "formal", sentences: 3 }));
    expect(columns[0]?.draft).toEqual({ base, changes: { tone: "formal" } });
  });

  test("is no draft any more when everything is as it was", () => {
    const { columns } = after(
      edit({ tone: "formal", sentences: 3 }),
      edit({ tone: "plain", sentences: 3 }),
    );
    expect(columns[0]?.draft).toBeNull();
  });

  test("keeps what its draft was made from when it is copied beside itself", () => {
    const { columns } = after(edit({ tone: "formal" }), { kind: "copy-column", column: 1 });
    expect(columns.map(({ id }) => id)).toEqual([1, 2]);
    expect(columns[1]?.draft).toEqual(columns[0]?.draft);
  });

  test("is about the new revision once its draft is committed", () => {
    const revision = { variant: "default", revision: 4 };
    const { columns } = after(edit({ tone: "formal" }), { kind: "committed", column: 1, revision });
    expect(columns[0]).toMatchObject({ source: { kind: "revision", ...revision }, draft: null });
  });

  test("cannot be removed when it is the only one", () => {
    expect(after({ kind: "remove-column", column: 1 })).toEqual(begun);
  });
});

describe("Cases", () => {
  test("get unused ids after deletions and renames", () => {
    const { cases } = after(
      { kind: "add-case", draft: empty },
      { kind: "add-case", draft: empty },
      { kind: "rename", case: 1, name: "Long text" },
      { kind: "remove-case", case: 2 },
      { kind: "add-case", draft: empty },
    );
    expect(cases.map(({ name }) => name)).toEqual(["Long text", "Case 3", "Case 4"]);
  });

  test("are copied with what is typed, next to where they were", () => {
    const typed = { mode: "json", text: '{"a": 1}' } as const;
    const { cases } = after(
      { kind: "add-case", draft: empty },
      { kind: "type", case: 1, draft: typed },
      { kind: "copy-case", case: 1 },
    );
    expect(cases.map(({ name, draft }) => [name, draft])).toEqual([
      ["Case 1", typed],
      ["Case 3", typed],
      ["Case 2", empty],
    ]);
  });

  test("begin anew with a number of their own, so that no old output is shown for them", () => {
    const { cases } = after({ kind: "reset-cases", draft: empty });
    expect(cases).toEqual([{ id: 2, name: "Case 1", draft: empty }]);
  });
});

test("What is brought back has numbers of its own, and everything that it had", () => {
  const mine = after(edit({ tone: "formal" }), { kind: "add-case", draft: empty });
  const { columns, cases } = after({ kind: "restore", workspace: mine });
  expect(columns.map(({ id, draft }) => [id, draft])).toEqual([[2, mine.columns[0]?.draft]]);
  expect(cases.map(({ id, name }) => [id, name])).toEqual([
    [2, "Case 1"],
    [3, "Case 2"],
  ]);
});

test("After any actions there is a column and a case, and ids are unique", () => {
  const id = fc.integer({ min: 1, max: 12 });
  const action: fc.Arbitrary<WorkspaceAction> = fc.oneof(
    fc.record({ kind: fc.constantFrom("revert", "copy-column", "remove-column"), column: id }),
    fc.record({ kind: fc.constantFrom("copy-case", "remove-case"), case: id }),
    fc.constant({ kind: "add-case", draft: empty } as const),
    fc.constant({ kind: "add-column", source: { kind: "defaults" } } as const),
    fc.constant({ kind: "reset-cases", draft: empty } as const),
    fc.constant({ kind: "revert-all" } as const),
  );
  fc.assert(
    fc.property(arbitraryWorkspace, fc.array(action, { maxLength: 20 }), (workspace, actions) => {
      const { columns, cases } = actions.reduce(reduceWorkspace, workspace);
      for (const items of [columns, cases]) {
        expect(items.length).toBeGreaterThan(0);
        expect(new Set(items.map((item) => item.id)).size).toBe(items.length);
      }
    }),
  );
});

test("What is typed is no step of its own for the browser's history", () => {
  expect(isStep({ kind: "type", case: 1, draft: empty })).toBe(false);
  expect(isStep(edit({}))).toBe(false);
  expect(isStep({ kind: "remove-case", case: 1 })).toBe(true);
});

test("A workspace that was read from its link has the same text, ids aside", async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryWorkspace, async (workspace) => {
      const { configs, fragment } = await writeLink(workspace);
      const { columns, cases } = await readLink(configs, fragment);
      const renumbered = {
        columns: columns!.map((column, index) => ({ ...column, id: index + 1 })),
        cases: cases!.map((each, index) => ({ ...each, id: index + 1 })),
      };
      expect(workspaceText(renumbered)).toBe(workspaceText(workspace));
    }),
  );
});

test("Another name, another input or another order is another text", () => {
  const draft = (text: string) => ({ mode: "json", text }) as const;
  const column = { id: 1, source: { kind: "defaults" }, draft: null, origin: null } as const;
  const of = (...cases: readonly (readonly [string, string])[]) =>
    workspaceText({
      columns: [column],
      cases: cases.map(([name, text], id) => ({ id, name, draft: draft(text) })),
    });
  const texts = [
    of(["A", "1"], ["B", "2"]),
    of(["B", "2"], ["A", "1"]),
    of(["A", "1"], ["C", "2"]),
    of(["A", "1"], ["B", "3"]),
    of(["A", "1"]),
  ];
  expect(new Set(texts).size).toBe(texts.length);
});
