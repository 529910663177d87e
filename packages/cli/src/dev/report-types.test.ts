import { expect, it } from "vitest";
import type { CodeProblem } from "../packing/code-problem.ts";
import { plainPaint } from "../terminal/plain-paint.fixture.ts";
import { describeEvent } from "./describe-event.ts";
import { reportTypes } from "./report-types.ts";
import type { TypeCheck } from "./type-checker.ts";

function errors(count: number, file = "app.ts"): TypeCheck {
  const problems = Array.from({ length: count }, (_, index): CodeProblem => {
    const lineText = "const n: number = text;";
    const location = { file, line: index + 1, column: 7, length: 1, lineText };
    return { message: "TS2322: Not a number.", hint: null, location };
  });
  return { kind: "checked", errors: problems };
}

/** The lines that these checks print, one after the other. */
function printed(...checks: TypeCheck[]): string[] {
  const lines: string[] = [];
  const report = reportTypes((event) => lines.push(...describeEvent(event, plainPaint)));
  for (const check of checks) report(check);
  return lines.filter((line) => !/^ +(\d+ )?\|/.test(line) && line !== "");
}

it("says nothing while there is nothing wrong", () => {
  expect(printed(errors(0), errors(0))).toEqual([]);
});

it.each([
  [1, ["1 type error. The workflow is served all the same."]],
  [5, ["5 type errors. The workflow is served all the same."]],
  [
    6,
    ["1 more: npx tsc --noEmit shows all.", "6 type errors. The workflow is served all the same."],
  ],
])("shows at most five of %i errors", (count, end) => {
  const places = Array.from({ length: Math.min(count, 5) }, (_, index) => {
    return `app.ts:${index + 1}:7: TS2322: Not a number.`;
  });
  expect(printed(errors(count))).toEqual([...places, ...end]);
});

it("shows the same errors once, others anew, and tells when they are gone", () => {
  expect(printed(errors(1), errors(1), errors(1, "other.ts"), errors(0), errors(0))).toEqual([
    "app.ts:1:7: TS2322: Not a number.",
    "1 type error. The workflow is served all the same.",
    "Still 1 type error.",
    "other.ts:1:7: TS2322: Not a number.",
    "1 type error. The workflow is served all the same.",
    "No type errors any more.",
  ]);
});

it("says once why types could not be checked", () => {
  const failed: TypeCheck = { kind: "failed", reason: "exit code 3: Out of memory" };
  expect(printed(failed, failed, errors(0), failed)).toHaveLength(2);
  expect(printed(failed)[0]).toMatch(/^Types could not be checked: exit code 3: Out of memory\. /);
});
