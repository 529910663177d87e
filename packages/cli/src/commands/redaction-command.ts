import type { ProjectRedaction } from "@agate/protocol";
import { isEmptyRedaction, NO_REDACTION, REDACTION_PATTERNS } from "@agate/protocol";
import { Command, Option } from "commander";
import { apiPath } from "../api-client/api-client.ts";
import { printableLine } from "../terminal/printable.ts";
import { commandGroup } from "./client/command-group.ts";
import { examples, HEADINGS } from "./client/command-help.ts";
import { WrongUsage } from "./client/failures.ts";
import type { Session } from "./client/on-platform.ts";
import { onPlatform } from "./client/on-platform.ts";
import { readObjectInput } from "./client/option-values.ts";

/** `agate redaction`: what a project's spans and logs are stored without. */
export function redactionCommand(): Command {
  return commandGroup({
    name: "redaction",
    description: "Show, set and test the redaction rules of a project.",
    heading: HEADINGS.administer,
    examples: [
      "agate redaction",
      "agate redaction set --pattern card,email --key password,user.email",
      'agate redaction test "pay with 4111 1111 1111 1111"',
    ],
    main: showCommand(),
    others: [setCommand(), testCommand()],
  });
}

function showCommand(): Command {
  const command = new Command("show").description("Show the rules of the project.");
  return onPlatform(command, async (session) => {
    const document = await session.api.get<ProjectRedaction>(apiPath`/registry/redaction`);
    session.show(document, ruleLines);
  });
}

interface SetFlags {
  readonly key?: readonly string[];
  readonly pattern?: readonly string[];
  readonly none?: true;
}

function setCommand(): Command {
  const command = new Command("set")
    .description("Replace all rules of the project. Stored traces are not changed.")
    .argument("[file]", "rules as JSON (- for standard input), with custom patterns")
    .addOption(
      new Option(
        "--key <names>",
        "names or paths, separated by commas, of values to redact",
      ).argParser(collect),
    )
    .addOption(
      new Option(
        "--pattern <names>",
        `built-in patterns, separated by commas: ${REDACTION_PATTERNS.join(", ")}`,
      ).argParser(collect),
    )
    .option("--none", "remove all rules")
    .addHelpText(
      "after",
      examples(
        "agate redaction set --pattern card,email,phone,iban,token",
        "agate redaction set --key password,user.email --key messages.*.content",
        "agate redaction set rules.json",
        "agate redaction set --none",
      ),
    );
  return onPlatform<[string | undefined], SetFlags>(command, async (session, file) => {
    const rules = await rulesOf(file, session);
    const path = apiPath`/registry/redaction`;
    const document = await session.api.send<ProjectRedaction>("PUT", path, rules);
    session.show(document, ruleLines);
  });
}

async function rulesOf(file: string | undefined, session: Session<SetFlags>): Promise<unknown> {
  const { key: keys = [], pattern: patterns = [], none = false } = session.flags;
  const given = [file !== undefined, keys.length + patterns.length > 0, none];
  if (given.filter(Boolean).length !== 1) {
    throw new WrongUsage("Give a file, or --key and --pattern, or --none.");
  }
  if (file !== undefined) return readObjectInput(file, session.process);
  return none ? NO_REDACTION : { keys, patterns };
}

function testCommand(): Command {
  const command = new Command("test")
    .description("Print a text as it would be stored.")
    .argument("<text>", "the text; it may be JSON")
    .addHelpText("after", examples('agate redaction test "mail joe@example.com"'));
  return onPlatform<[string]>(command, async ({ api, show }, text) => {
    const path = apiPath`/registry/redaction/test`;
    const document = await api.send<{ readonly text: string }>("POST", path, { text });
    show(document, ({ text: redacted }) => redacted.split("\n").map(printableLine));
  });
}

function ruleLines(rules: ProjectRedaction): string[] {
  if (isEmptyRedaction(rules)) return ["The project has no redaction rules."];
  const lines = [
    ...(rules.keys.length > 0 ? [`keys      ${rules.keys.join(", ")}`] : []),
    ...(rules.patterns.length > 0 ? [`patterns  ${rules.patterns.join(", ")}`] : []),
    ...rules.custom.map(({ name, regex }) => `custom    ${name}: ${regex}`),
    ...(rules.updated_at === null ? [] : [`updated   ${rules.updated_at} by ${rules.updated_by}`]),
  ];
  return lines.map(printableLine);
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  const names = value.split(",").map((name) => name.trim());
  return [...before, ...names.filter((name) => name !== "")];
}
