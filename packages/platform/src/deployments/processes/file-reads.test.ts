import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { BuildProgram } from "./spawn-build.ts";
import { startBuildProcess } from "./start-build-process.ts";
import { buildProgram, processGroups, workflowSource } from "./testing/build-program.fixture.ts";

const RESTRICTED = { allow: [], readable: [], user: null, passEnv: [] } as const;

interface Ran {
  readonly lines: readonly string[];
  readonly reads: readonly string[];
}

/** Starts a workflow, which has done what it does `before` when it answers. */
async function run(program: BuildProgram, isDevelopment: boolean): Promise<Ran> {
  const lines: string[] = [];
  const reads: string[] = [];
  const outcome = await startBuildProcess(program, {
    onLine: (line) => lines.push(line),
    ...(isDevelopment && { onFileRead: (file: string) => reads.push(file) }),
    timeoutMs: 20_000,
    groups: processGroups(),
  });
  if (outcome.kind !== "running") throw new Error(outcome.log.join("\n"));
  onTestFinished(() => outcome.stop(0));
  return { lines, reads };
}

const EVERY_WAY = `
  import fs, { createReadStream, openSync, readFile, readFileSync, writeFileSync } from "node:fs";
  import { open, readFile as readLater } from "node:fs/promises";
  import { once } from "node:events";
  import { text } from "node:stream/consumers";
  import { Worker } from "node:worker_threads";
  import { promisify } from "node:util";
  readFileSync("sync.txt");
  readFileSync("sync.txt");
  fs.readFileSync(new URL("./url.txt", import.meta.url));
  await promisify(readFile)("callback.txt", "utf8");
  await readLater("promised.txt");
  await (await open("opened.txt")).close();
  fs.closeSync(openSync("opened-sync.txt", "r"));
  await text(createReadStream(process.cwd() + "/./stream.txt"));
  // Written, outside of the folder, or not for a build.
  writeFileSync("written.txt", "x");
  fs.closeSync(openSync("appended.txt", "a"));
  readFileSync(process.execPath.replace(/node$/, "../package.json"));
  for (const name of ["main.mjs", "package.json", ".env"]) readFileSync(name);
  try { readFileSync("missing.txt"); } catch {}
  // Nor is a thread of it taken for a deployed build.
  const thread = 'try { require("fs").readFileSync("missing.txt") } catch {}';
  await once(new Worker(thread, { eval: true }), "exit");
`;
const READ = ["sync", "url", "callback", "promised", "opened", "opened-sync", "stream"].map(
  (name) => `${name}.txt`,
);

it("are told to agate dev, each file once, however it is read", async () => {
  const program = await buildProgram(workflowSource(undefined, EVERY_WAY));
  for (const name of [...READ, "package.json", ".env"]) {
    await writeFile(join(program.folder, name), "{}");
  }
  const { reads, lines } = await run(program, true);
  await expect.poll(() => reads).toEqual(READ);
  expect(lines).toEqual([]);
});

const MISSING = `
  import { readFile, readFileSync } from "node:fs";
  import { readFile as readLater } from "node:fs/promises";
  const failures = [];
  try { readFileSync("prompts/a.md"); } catch ({ code }) { failures.push(code); }
  await readLater("prompts/b.md").catch(({ code }) => failures.push(code));
  await new Promise((resolve) => readFile("prompts/c.md", (error) => resolve(failures.push(error.code))));
  for (const name of ["prompts/a.md", ".env", "agate.config.json", "node_modules/x.json", "app.ts"]) {
    try { readFileSync(name); } catch ({ code }) { failures.push(code); }
  }
  console.log(new Set(failures).size, failures.length, failures[0]);
`;

it.each([
  ["with all rights", null],
  ["under Node's permission model", RESTRICTED],
])("that fail in a deployed build are explained once each, %s", async (_, restrictions) => {
  const program = await buildProgram(workflowSource(undefined, MISSING));
  const { lines } = await run({ ...program, restrictions }, false);
  const hint = (file: string) =>
    `agate: "prompts/${file}.md" is not in this build. If the program needs it, add "agate": {"include": ["prompts/${file}.md"]} to package.json and deploy again.`;
  // The program gets every error as it is.
  await expect
    .poll(() => lines.toSorted())
    .toEqual(["1 8 ENOENT", hint("a"), hint("b"), hint("c")]);
});

it.each([9, 10, 11])("that fail are explained for 10 of %i files", async (count) => {
  const reading = `import { readFileSync } from "node:fs";
    for (let index = 0; index < ${count}; index++) {
      try { readFileSync("file-" + index); } catch {}
    }
    console.error("done");`;
  const program = await buildProgram(workflowSource(undefined, reading));
  const { lines } = await run(program, false);
  await expect.poll(() => lines.at(-1)).toBe("done");
  expect(lines).toHaveLength(Math.min(count, 10) + 1);
});
