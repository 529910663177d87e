import { readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createProgram } from "../packages/cli/src/commands/create-program.ts";
import type { Command } from "./command-line-page.ts";

const root = join(import.meta.dirname, "..");
const PAGES = ["*.md", "docs/**/*.md", "packages/*/*.md", "examples/*/*.md"];

/** Each `agate …` in a text, as typed: assignments before it and what follows the command left out. */
function commandsIn(text: string): string[] {
  return [...text.replaceAll(/\\\n\s*/g, "").matchAll(COMMAND)].map(([, words = ""]) =>
    words.trim(),
  );
}

/** Up to a comment, a pipe or another command; quoted text may have any of these in it. */
const COMMAND =
  /(?:^|\$ |&& |\()(?:[A-Z_]+=\S+ +)*(?:npx @agate\/cli|agate) +((?:'[^']*'|"[^"]*"|(?! {2,}|\s#|[|&)\n]).)+)/gm;

/** The words of a command, as a shell makes them. */
function wordsOf(command: string): string[] {
  const words = command.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  return words.map((word) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, "$1$2"));
}

/** The real command line, whose commands do nothing. */
function idleProgram(): Command {
  const idle = (command: Command): void => {
    command.configureOutput({ writeErr: () => {}, outputError: () => {} });
    command.commands.forEach(idle);
    if (command.commands.length === 0) command.action(() => {});
  };
  const program = createProgram();
  idle(program);
  return program;
}

/** Those that it does not take, and why. */
function refused(commands: readonly string[]): string[] {
  return commands.flatMap((command) => {
    try {
      idleProgram().parse(wordsOf(command), { from: "user" });
      return [];
    } catch (error) {
      return [`agate ${command}: ${error}`];
    }
  });
}

it("shows commands in the documentation that the command line takes", async () => {
  const commands: string[] = [];
  for await (const page of glob(PAGES, { cwd: root })) {
    const text = readFileSync(join(root, page), "utf8");
    const blocks = [...text.matchAll(/^```(?:sh|text)[^\n]*\n(.*?)^```$/gms)];
    commands.push(...blocks.flatMap(([, code = ""]) => commandsIn(code)));
  }
  expect(commands).not.toEqual([]);
  expect(refused(commands)).toEqual([]);
});

it("shows commands in its own help that it takes", () => {
  const helpOf = (command: Command): string => {
    let help = "";
    command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    return [help, ...command.commands.map(helpOf)].join("\n");
  };
  const commands = commandsIn(helpOf(createProgram()));
  expect(commands).not.toEqual([]);
  expect(refused(commands)).toEqual([]);
});

it("would notice an option that is not there, also behind a variable and on the next line", () => {
  const text = "A=b agate deploy app.ts \\\n  --ap x  # why\nagate apps | wc && agate servr";
  expect(refused(commandsIn(text))).toEqual([
    expect.stringMatching(/^agate deploy app\.ts --ap x: .*unknown option '--ap'/),
    expect.stringMatching(/^agate servr: .*unknown command 'servr'/),
  ]);
});
