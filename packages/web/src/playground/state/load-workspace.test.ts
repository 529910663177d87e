import { expect, test } from "vitest";
import { hasLostWork } from "./load-workspace.ts";
import { columnOf, type Workspace } from "./workspace.ts";

const inputs = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };

function workspace(
  texts: readonly string[],
  changes?: Readonly<Record<string, unknown>>,
): Workspace {
  const column = columnOf(1, { kind: "defaults" });
  return {
    columns: [changes === undefined ? column : { ...column, draft: { base: null, changes } }],
    cases: texts.map((text, index) => ({
      id: index + 1,
      name: `Case ${index + 1}`,
      draft: { mode: "form", fields: { text } },
    })),
  };
}

test("A case that is not there any more is lost work, an empty one is not", () => {
  expect(hasLostWork(workspace(["mine"]), workspace(["theirs"]), inputs)).toBe(true);
  expect(hasLostWork(workspace([""]), workspace(["theirs"]), inputs)).toBe(false);
  expect(hasLostWork(workspace(["mine"]), workspace(["theirs", "mine"]), inputs)).toBe(false);
});

test("An edit that is not there any more is lost work", () => {
  const edited = workspace(["same"], { tone: "formal" });
  expect(hasLostWork(edited, workspace(["same"]), inputs)).toBe(true);
  expect(hasLostWork(edited, edited, inputs)).toBe(false);
  expect(hasLostWork(workspace(["same"]), edited, inputs)).toBe(false);
});
