import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import type { CodeProblem } from "../packing/code-problem.ts";
import { plainPaint } from "../terminal/plain-paint.fixture.ts";
import { describeEvent } from "./dev-event.ts";
import { reportTypes, type TypeCheck, TypeChecker, typeErrors } from "./type-checker.ts";

const TYPESCRIPT = join(import.meta.dirname, "../../../../node_modules/typescript");
/** The compiler runs with the lowest priority, so that it gets little of a busy machine. */
const COMPILED = { timeout: 180_000 };
vi.setConfig({ testTimeout: 240_000 });
const TSCONFIG = '{"compilerOptions": {"strict": true, "module": "nodenext", "types": []}}';

/** A project in a folder of its own, with a compiler. */
function makeProject(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "agate-types-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** A package called typescript whose compiler is this program. */
function compiler(program: string): Record<string, string> {
  return {
    "node_modules/typescript/package.json": '{"bin": {"tsc": "./tsc.cjs"}}',
    "node_modules/typescript/tsc.cjs": program,
  };
}

interface Checks {
  readonly checker: TypeChecker;
  /** What was reported, in order. */
  readonly reported: readonly TypeCheck[];
}

function startChecks(folder: string): Checks {
  const reported: TypeCheck[] = [];
  const checker = new TypeChecker({
    folder,
    cacheFolder: folder,
    onChecked: (check) => reported.push(check),
  });
  onTestFinished(() => checker.close());
  return { checker, reported };
}

it("finds the errors of the project's own TypeScript, with their places", async () => {
  const folder = makeProject({
    "tsconfig.json": TSCONFIG,
    "src/app.ts": "export {};\nconst wrong: number = 'text';\n",
  });
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(TYPESCRIPT, join(folder, "node_modules/typescript"));
  const { checker, reported } = startChecks(folder);
  checker.checkSoon();
  await expect
    .poll(() => reported, COMPILED)
    .toEqual([
      {
        kind: "checked",
        errors: [
          {
            message: "TS2322: Type 'string' is not assignable to type 'number'.",
            hint: null,
            location: {
              file: "src/app.ts",
              line: 2,
              column: 7,
              length: 1,
              lineText: "const wrong: number = 'text';",
            },
          },
        ],
      },
    ]);
  writeFileSync(join(folder, "src/app.ts"), "export const right: number = 1;\n");
  checker.checkSoon();
  await expect.poll(() => reported[1], COMPILED).toEqual({ kind: "checked", errors: [] });
});

it("reports a compiler that fails, with the last that it said", async () => {
  const program = "console.error('first'); console.error('Out of memory'); process.exitCode = 134;";
  const folder = makeProject({ "tsconfig.json": TSCONFIG, ...compiler(program) });
  const { checker, reported } = startChecks(folder);
  checker.checkSoon();
  await expect
    .poll(() => reported, COMPILED)
    .toEqual([{ kind: "failed", reason: "exit code 134: Out of memory" }]);
});

it("gives up a check whose files have changed", async () => {
  const program = `const { existsSync, writeFileSync } = require("node:fs");
if (!existsSync("second")) { writeFileSync("started", ""); setInterval(() => {}, 1000); }
else console.log("app.ts(1,1): error TS1: of the second");`;
  const files = { "tsconfig.json": TSCONFIG, "app.ts": "x", ...compiler(program) };
  const folder = makeProject(files);
  const { checker, reported } = startChecks(folder);
  checker.checkSoon();
  await expect.poll(() => existsSync(join(folder, "started")), COMPILED).toBe(true);
  writeFileSync(join(folder, "second"), "");
  checker.checkSoon();
  await expect
    .poll(() => reported, COMPILED)
    .toMatchObject([{ kind: "checked", errors: [{ message: "TS1: of the second" }] }]);
});

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "agate-types-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

it("have their place, their line and the details of their message", () => {
  const folder = folderWith({ "app(1).ts": "\r\nconst n: number = 'x';\r\n" });
  const output = [
    "app(1).ts(2,7): error TS2322: Type 'string' is not assignable to type 'number'.",
    "  Types differ.",
    "    Deeply.",
    "gone.ts(9,1): error TS1005: ';' expected.",
    "error TS18003: No inputs were found.",
    "",
  ];
  const place = { column: 7, length: 1, lineText: "const n: number = 'x';" };
  expect(typeErrors(folder, output.join("\r\n"))).toEqual([
    {
      message: "TS2322: Type 'string' is not assignable to type 'number'. Types differ. Deeply.",
      hint: null,
      location: { file: "app(1).ts", line: 2, ...place },
    },
    {
      message: "TS1005: ';' expected.",
      hint: null,
      location: { file: "gone.ts", line: 9, column: 1, length: 1, lineText: "" },
    },
    { message: "TS18003: No inputs were found.", hint: null, location: null },
  ]);
});

it("are none where there is nothing but other output", () => {
  expect(typeErrors("/", "Segmentation fault\n  at somewhere\n")).toEqual([]);
});

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
  [1, ["1 type error. The workflow is still served."]],
  [5, ["5 type errors. The workflow is still served."]],
  [6, ["1 more: run npx tsc --noEmit to see all.", "6 type errors. The workflow is still served."]],
])("shows at most five of %i errors", (count, end) => {
  const places = Array.from({ length: Math.min(count, 5) }, (_, index) => {
    return `app.ts:${index + 1}:7: TS2322: Not a number.`;
  });
  expect(printed(errors(count))).toEqual([...places, ...end]);
});

it("shows the same errors once, others anew, and tells when they are gone", () => {
  expect(printed(errors(1), errors(1), errors(1, "other.ts"), errors(0), errors(0))).toEqual([
    "app.ts:1:7: TS2322: Not a number.",
    "1 type error. The workflow is still served.",
    "Still 1 type error.",
    "other.ts:1:7: TS2322: Not a number.",
    "1 type error. The workflow is still served.",
    "No type errors left.",
  ]);
});

it("says once why types could not be checked", () => {
  const failed: TypeCheck = { kind: "failed", reason: "exit code 3: Out of memory" };
  expect(printed(failed, failed, errors(0), failed)).toHaveLength(2);
  expect(printed(failed)[0]).toMatch(/^Types could not be checked: exit code 3: Out of memory\. /);
});
