import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { codeBlocks } from "../../../../e2e/code-blocks.ts";

const root = join(import.meta.dirname, "../../../..");
const sdk = join(root, "packages/sdk");

const FILES = new Map(
  codeBlocks("packages/sdk/src/evals/testing/user-code.md").map(({ info, code }) => [
    info.replace("ts file=", ""),
    code,
  ]),
);

/** A mistake that a user might make, and what the compiler says about it. */
const MISTAKES = [
  ["tickets.eval.ts", "right: { min", "wrong: { min", /'wrong' does not exist in type/],
  ["tickets.eval.ts", "output.label", "output.lable", /'lable' does not exist/],
  ["tickets.eval.ts", "=== expected", '=== "refund" && expected', /no overlap/],
  ["tickets.eval.ts", "gate:", "gates:", /'gates' does not exist in type/],
  ["support.eval.ts", "expected.mention.every", "expected.mentions.every", /'mentions'/],
  ["support.eval.ts", "cites: { min: 0.95 }", "cite: { min: 0.95 }", /'cite' does not exist/],
  ["support.eval.ts", "output.sources", "output.source", /'source'/],
  ["support.eval.ts", "inputs.question", "inputs.query", /'query' does not exist/],
  ["support.eval.ts", "config.rubric", "config.rubrik", /'rubrik' does not exist/],
  ["agent.eval.ts", "expected.tools.join", "expected.tool.join", /'tool'/],
  ["agent.eval.ts", "safe: { min", "save: { min", /'save' does not exist/],
  ["agent.eval.ts", "inputs: { about:", "inputs: { abuot:", /'abuot' does not exist/],
  ["agent.eval.ts", "output.startsWith", "output.beginsWith", /'beginsWith' does not exist/],
  // Of scorers of another route: what they take is not what this one answers.
  ["tickets.eval.ts", "scorers: {", "scorers: { helpful,", /not assignable/],
] as const;

it("compiles as it is, and no copy with a mistake does", { timeout: 120_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "agate-user-code-"));
  try {
    await symlink(join(root, "node_modules"), join(folder, "node_modules"));
    for (const [file, code] of FILES) await writeFile(join(folder, file), code);
    for (const [index, [file, right, wrong]] of MISTAKES.entries()) {
      const code = FILES.get(file) as string;
      expect(code.split(right), `${right} in ${file}`).not.toHaveLength(1);
      const imported = wrong.includes("helpful,") ? 'import { helpful } from "./helpful.ts";' : "";
      await writeFile(join(folder, `mistake-${index}.ts`), imported + code.replace(right, wrong));
    }
    const support = FILES.get("support.eval.ts") as string;
    await writeFile(
      join(folder, "helpful.ts"),
      support.replace("const helpful", "export const helpful"),
    );

    const errors = await errorsIn(folder);
    const found = MISTAKES.map((_, index) => errors.get(`mistake-${index}.ts`)?.join("\n"));
    for (const [index, [file, , wrong, message]] of MISTAKES.entries()) {
      expect(found[index], `${wrong} in ${file}`).toMatch(message);
    }
    const others = [...errors].filter(([file]) => !file.startsWith("mistake-"));
    expect(others).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** File → what the compiler says about it. */
async function errorsIn(folder: string): Promise<Map<string, string[]>> {
  const compilerOptions = {
    paths: {
      "@agate/sdk": [join(sdk, "src/index.ts")],
      "@agate/sdk/evals": [join(sdk, "src/evals/index.ts")],
      "#serve": [join(sdk, "src/app/serve-module.ts")],
    },
  };
  const project = { extends: join(sdk, "tsconfig.json"), compilerOptions, include: ["*.ts"] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(project));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const child = spawn(process.execPath, [tsc, "-p", folder, "--pretty", "false"], {
    stdio: ["ignore", "pipe", "inherit"],
    cwd: folder,
  });
  const [said] = await Promise.all([text(child.stdout), once(child, "exit")]);
  const errors = new Map<string, string[]>();
  let current: string[] = [];
  for (const line of said.split("\n")) {
    const [, file] = /^(\S+?)\(\d+,\d+\): error/.exec(line) ?? [];
    if (file !== undefined) {
      current = errors.get(file) ?? [];
      errors.set(file, current);
    }
    current.push(line);
  }
  return errors;
}
