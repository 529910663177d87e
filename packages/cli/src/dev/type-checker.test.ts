import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type TypeCheck, TypeChecker } from "./type-checker.ts";

const TYPESCRIPT = join(import.meta.dirname, "../../../../node_modules/typescript");
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
    .poll(() => reported, { timeout: 30_000 })
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
  await expect
    .poll(() => reported[1], { timeout: 30_000 })
    .toEqual({ kind: "checked", errors: [] });
}, 70_000);

it("reports a compiler that fails, with the last that it said", async () => {
  const program = "console.error('first'); console.error('Out of memory'); process.exitCode = 134;";
  const folder = makeProject({ "tsconfig.json": TSCONFIG, ...compiler(program) });
  const { checker, reported } = startChecks(folder);
  checker.checkSoon();
  await expect
    .poll(() => reported, { timeout: 10_000 })
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
  await expect.poll(() => existsSync(join(folder, "started")), { timeout: 10_000 }).toBe(true);
  writeFileSync(join(folder, "second"), "");
  checker.checkSoon();
  await expect
    .poll(() => reported, { timeout: 10_000 })
    .toMatchObject([{ kind: "checked", errors: [{ message: "TS1: of the second" }] }]);
});
