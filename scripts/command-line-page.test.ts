import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { EXIT_CODES } from "../packages/cli/src/commands/client/failures.ts";
import { createProgram } from "../packages/cli/src/commands/create-program.ts";
import type { Command } from "./command-line-page.ts";
import { PAGE, renderPage } from "./command-line-page.ts";

const page = readFileSync(PAGE, "utf8");

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

describe("the reference of the command line", () => {
  it("has every command, argument and option as the program has them", () => {
    const outOfDate = "Run scripts/command-line-page.ts to write it anew.";
    expect(page, outOfDate).toBe(renderPage(page, createProgram()));
  });

  it("has every exit code", () => {
    const documented = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
    expect(documented).toEqual([...Object.values(EXIT_CODES), 130]);
  });

  it("has every option of the platform", () => {
    for (const flags of ["--json", "--url <url>", "--api-key <key>", "--project <project>"]) {
      expect(page).toContain(`| \`${flags}\` |`);
    }
  });
});

describe("help", () => {
  it.each(
    everyCommand(createProgram())
      .slice(1)
      .map((command) => [command.name(), command] as const),
  )("of %s says what it does", (_name, command) => {
    expect(command.description()).toMatch(/^[A-Z].*\.$/);
    for (const argument of command.registeredArguments) expect(argument.description).not.toBe("");
    for (const option of command.options) expect(option.description).not.toBe("");
  });

  it("has an example wherever something has to be given", () => {
    for (const command of everyCommand(createProgram()).slice(1)) {
      const isMain = command.name() === "list";
      if (command.registeredArguments.length === 0 || isMain) continue;
      let help = "";
      command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
      expect(help, command.name()).toContain(`  $ `);
    }
  });
});
