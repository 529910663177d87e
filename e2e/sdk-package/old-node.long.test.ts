import { spawnSync } from "node:child_process";
import { build } from "esbuild";
import { expect, it } from "vitest";

const PROGRAM = `import * as ag from "@agate/sdk"; ag.app(); console.log("loaded");`;

/** A Node that says it is another version. What an older one has in common with it is all that the check uses. */
function run(program: string, version: string) {
  const pretend = `data:text/javascript,Object.defineProperty(process, "versions", { value: { node: "${version}" } })`;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", pretend, "--input-type=module", "-"],
    { cwd: import.meta.dirname, input: program, encoding: "utf8" },
  );
  return { status, stdout, stderr };
}

async function bundled(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: PROGRAM, resolveDir: import.meta.dirname },
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
  });
  return outputFiles[0]!.text;
}

it.each(["20.20.2", "22.14.0"])("refuses Node %s with one sentence", async (version) => {
  for (const program of [PROGRAM, await bundled()]) {
    expect(run(program, version)).toEqual({
      status: 1,
      stdout: "",
      stderr: `@agate/sdk needs Node 22.15 or later, and this is Node ${version}. Install a newer Node: https://nodejs.org/en/download\n`,
    });
  }
});

it.each(["22.15.0", "24.0.0"])("takes Node %s", (version) => {
  expect(run(PROGRAM, version)).toEqual({ status: 0, stdout: "loaded\n", stderr: "" });
});
