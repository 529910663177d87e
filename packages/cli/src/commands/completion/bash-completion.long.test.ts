import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { createProgram } from "../create-program.ts";
import { bashScript } from "./bash-script.ts";
import { commandTree } from "./command-tree.ts";

const script = bashScript(commandTree(createProgram()));

/** What bash itself offers for a line: words as it takes a line apart, `=` being one of its own. */
async function complete(line: string): Promise<string[]> {
  const words = line.split(/ |(?==)|(?<==)/);
  const program = `${script}
COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); COMPREPLY=(); _agate
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)("bash", ["-c", program, "bash", ...words]);
  return stdout.split("\n").filter((word) => word !== "");
}

describe("completion in bash", () => {
  it.each([
    ["agate dep", ["deploy", "deployments"]],
    ["agate deployments pro", ["promote"]],
    ["agate apps de", ["delete"]],
    ["agate trace --sp", ["--span"]],
    ["agate traces --status ", ["UNSET", "OK", "ERROR"]],
    ["agate traces --status=E", ["ERROR"]],
    ["agate traces --status OK --kind LL", ["LLM"]],
    ["agate --url http apps sh", ["show"]],
    ["agate completion ", ["bash", "zsh", "fish", "--help", "-h"]],
    ["agate run /summarize --en", ["--environment"]],
    ["agate deploy --app ", []],
    ["agate nonsense x", []],
  ])("%s", async (line, expected) => {
    expect(await complete(line)).toEqual(expected);
  });

  it("offers every command and every option of the program", async () => {
    for (const { path, commands, options } of commandTree(createProgram())) {
      const offered = await complete(`agate ${path === "" ? "" : `${path} `}`);
      const words = [...commands.map(({ word }) => word), ...options.flatMap(({ flags }) => flags)];
      expect(offered, path).toEqual(expect.arrayContaining(words));
    }
  });
});
