import { spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { peersProblem } from "../bench/peers/peers-problem.ts";

const BENCH = join(import.meta.dirname, "../bench/run.ts");
const NEEDED = "Phoenix and MLflow need Python 3.11 to 3.14 as python3";
const NOT_FOUND = `${NEEDED}; python3 was not found or does not run.`;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "agate-arguments-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** With this `python3` alone on the path, or with none. */
async function environment(python: string | null): Promise<NodeJS.ProcessEnv> {
  const bin = await mkdtemp(join(folder, "bin-"));
  if (python !== null) {
    await writeFile(join(bin, "python3"), `#!/bin/sh\necho "Python ${python}"\n`);
    await chmod(join(bin, "python3"), 0o755);
  }
  return { ...process.env, PATH: bin };
}

test("the comparison with peers names the Python that it needs", async () => {
  const problem = async (python: string | null) =>
    peersProblem("10000", undefined, await environment(python));
  expect(await problem(null)).toBe(NOT_FOUND);
  for (const version of ["2.7.18", "3.10.14", "3.15.0"]) {
    expect(await problem(version)).toBe(`${NEEDED}; python3 is Python ${version}.`);
  }
  for (const version of ["3.11.0", "3.14.2"]) expect(await problem(version)).toBeNull();
});

test("the comparison with peers takes an empty folder or an environment for --venv", async () => {
  const file = join(folder, "file");
  await writeFile(file, "");
  const full = join(folder, "full");
  const empty = join(full, "empty");
  await mkdir(empty, { recursive: true });
  const env = await environment("3.12.1");
  expect(peersProblem("10000", file, env)).toBe(`--venv: ${file} is not a folder.`);
  expect(peersProblem("10000", full, env)).toBe(
    `--venv: ${full} is neither empty nor a virtual environment of Python.`,
  );
  await writeFile(join(full, "pyvenv.cfg"), "");
  for (const usable of [full, empty, join(folder, "new")]) {
    expect(peersProblem("10000", usable, env)).toBeNull();
  }
});

test("the comparison with peers names the bounds of --peer-spans", async () => {
  const env = await environment("3.12.1");
  for (const given of ["999", "15001", "many"]) {
    expect(peersProblem(given, undefined, env)).toBe(
      `--peer-spans: Must be 1,000 to 15,000 (got ${given}).`,
    );
  }
  for (const given of ["1000", "15000"]) expect(peersProblem(given, undefined, env)).toBeNull();
});

test("the benchmark ends with the problem before it builds anything", async () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BENCH, "peers"], {
    env: { ...(await environment(null)), NODE_NO_WARNINGS: "1" },
    encoding: "utf8",
  });
  expect({ status, stdout, stderr }).toEqual({ status: 2, stdout: "", stderr: `${NOT_FOUND}\n` });
});
