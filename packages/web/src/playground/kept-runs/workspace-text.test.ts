import fc from "fast-check";
import { expect, test } from "vitest";
import { arbitraryWorkspace } from "../state/arbitrary-workspace.fixture.ts";
import { readLink, writeLink } from "../state/workspace-link.ts";
import { workspaceText } from "./workspace-text.ts";

test("A workspace that was read from its link has the same text, whatever its numbers are", async () => {
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
