import { expect, test } from "vitest";
import { losesWork } from "./load-workspace.ts";
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
  expect(losesWork(workspace(["mine"]), workspace(["theirs"]), inputs)).toBe(true);
  expect(losesWork(workspace([""]), workspace(["theirs"]), inputs)).toBe(false);
  expect(losesWork(workspace(["mine"]), workspace(["theirs", "mine"]), inputs)).toBe(false);
});

test("An edit that is not there any more is lost work", () => {
  const edited = workspace(["same"], { tone: "formal" });
  expect(losesWork(edited, workspace(["same"]), inputs)).toBe(true);
  expect(losesWork(edited, edited, inputs)).toBe(false);
  expect(losesWork(workspace(["same"]), edited, inputs)).toBe(false);
});
