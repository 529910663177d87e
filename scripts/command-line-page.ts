// Writes the part of docs/reference/command-line.md that the program itself can tell.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createProgram } from "../packages/cli/src/commands/create-program.ts";

export type Command = ReturnType<typeof createProgram>;
type Option = Command["options"][number];

export const PAGE = join(import.meta.dirname, "../docs/reference/command-line.md");

const BEGIN = "<!-- The rest is written by scripts/command-line-page.ts. -->\n";
/** What every command that asks a platform takes; the page's own words describe it once. */
const SHARED = ["--json", "--url", "--api-key", "--project"];

/** The page, its second part made anew. */
export function renderPage(page: string, program: Command): string {
  const [words = ""] = page.split(BEGIN);
  return words + BEGIN + commandSections(program);
}

function commandSections(program: Command): string {
  const byHeading = Map.groupBy(program.commands, (command) => command.helpGroup());
  return [...byHeading]
    .map(([heading, commands]) => {
      const sections = commands.flatMap((command) => [command, ...command.commands]).map(section);
      return `\n## ${heading.replace(/:$/, "")}\n${sections.join("")}`;
    })
    .join("");
}

function section(command: Command): string {
  const isGroup = command.commands.length > 0;
  const parts = [`\n### \`${nameOf(command)}${isGroup ? " …" : argumentList(command)}\`\n`];
  parts.push(`\n${command.description()}\n`);
  const rows = [
    ...command.registeredArguments.map((argument) => [
      `\`${argument.name()}\``,
      argument.description,
    ]),
    ...ownOptions(command).map((option) => [`\`${option.flags}\``, describe(option)]),
  ];
  if (rows.length > 0) {
    parts.push("\n| | |\n|---|---|\n");
    parts.push(...rows.map((cells) => `| ${cells.map(escapeCell).join(" | ")} |\n`));
  }
  if (asksPlatform(command)) parts.push("\nWith the [options of the platform](#options).\n");
  return parts.join("");
}

/** What a group does by its name alone stands under the name that it has besides. */
function nameOf(command: Command): string {
  const parent = command.parent === null ? "" : `${nameOf(command.parent)} `;
  return `${parent}${command.name()}`;
}

function argumentList(command: Command): string {
  return command.registeredArguments
    .map((argument) => (argument.required ? ` <${argument.name()}>` : ` [${argument.name()}]`))
    .join("");
}

/** An option `--url` of a command's own is another address. */
function asksPlatform(command: Command): boolean {
  return command.options.some(
    ({ long, helpGroupHeading }) => long === "--url" && helpGroupHeading !== undefined,
  );
}

function ownOptions(command: Command): Option[] {
  if (!asksPlatform(command)) return [...command.options];
  return command.options.filter(({ long }) => !SHARED.includes(long ?? ""));
}

function describe(option: Option): string {
  const choices = option.argChoices?.map((choice) => `\`${choice}\``).join(", ");
  const usual = option.defaultValueDescription ?? option.defaultValue?.toString();
  return [
    option.description,
    ...(choices === undefined ? [] : [`(${choices})`]),
    ...(usual === undefined || typeof option.defaultValue === "boolean"
      ? []
      : [`(default: \`${usual}\`)`]),
    ...(option.mandatory ? ["(required)"] : []),
  ].join(" ");
}

function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|");
}

if (import.meta.main) writeFileSync(PAGE, renderPage(readFileSync(PAGE, "utf8"), createProgram()));
