import type { Command } from "commander";
import { Option } from "commander";
import { DEFAULT_URL } from "../../api-client/connection.ts";

export interface ConnectionFlags {
  readonly url?: string;
  readonly apiKey?: string;
  readonly project?: string;
  readonly json?: boolean;
}

const HEADING = "Platform:";

/** The options that name the platform and the caller. */
function connectionOptions(): Option[] {
  return [
    new Option(
      "--url <url>",
      `address of the platform (default: $AGATE_BASE_URL, else ${DEFAULT_URL})`,
    ),
    new Option("--api-key <key>", "key to use (default: $AGATE_API_KEY)"),
    new Option("--project <project>", "project to work in, for those who may choose one"),
  ];
}

/** The same options before the command: `agate --url URL apps`. */
export function addGlobalOptions(program: Command): Command {
  for (const option of connectionOptions()) program.addOption(option.helpGroup(HEADING));
  return program.hook("preAction", (_program, command) => {
    const [given] = program.options.filter(
      (option) => program.getOptionValue(option.attributeName()) !== undefined,
    );
    if (given === undefined || command.options.some(({ long }) => long === given.long)) return;
    command.error(
      `error: '${command.name()}' does not ask a platform and takes no '${given.long}'`,
    );
  });
}

/** To a command that talks to the platform, after its own options. */
export function addConnectionOptions(command: Command): Command {
  command.option("--json", "print the API's own JSON");
  for (const option of connectionOptions()) command.addOption(option.helpGroup(HEADING));
  return command;
}
