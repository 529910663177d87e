import type { Command } from "commander";
import type { ApiClient } from "../../api-client/api-client.ts";
import { createApiClient } from "../../api-client/api-client.ts";
import { readConnection } from "../../api-client/connection.ts";
import type { ApiDocument } from "../../api-client/response-body.ts";
import { printableJson } from "../../terminal/printable.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { openTerminal } from "../../terminal/terminal.ts";
import type { ConnectionFlags } from "./connection-options.ts";
import { addConnectionOptions } from "./connection-options.ts";
import { WrongUsage } from "./failures.ts";
import { tellFailures } from "./tell-failures.ts";

/** What a command works with. */
export interface Session<Flags> {
  readonly api: ApiClient;
  readonly terminal: Terminal;
  readonly flags: Flags;
  /** Whether standard output is for programs. */
  readonly json: boolean;
  /** The time against which ages are told. */
  readonly now: number;
  /** Prints a document as it came with `--json`, else these lines of it. */
  show<Value>(document: ApiDocument<Value>, render: (value: Value) => Iterable<string>): void;
}

/**
 * Makes a command a client of the platform: it gets the options of the connection and `--json`,
 * and whatever it throws that a person can mend is told in one form.
 */
export function onPlatform<Arguments extends readonly unknown[], Flags = unknown>(
  command: Command,
  run: (session: Session<Flags>, ...args: Arguments) => Promise<void>,
): Command {
  return addConnectionOptions(command).action(async (...all: unknown[]) => {
    // Commander appends the options and the command itself.
    const args = all.slice(0, -2) as unknown as Arguments;
    const flags = {
      ...command.parent?.parent?.opts(),
      ...command.parent?.opts(),
      ...command.opts(),
    };
    const terminal = openTerminal(process);
    await tellFailures(command, terminal, Boolean(flags.json), () =>
      run(openSession<Flags>(flags as ConnectionFlags & Flags, terminal), ...args),
    );
  });
}

function openSession<Flags>(flags: ConnectionFlags & Flags, terminal: Terminal): Session<Flags> {
  const outcome = readConnection(flags, process.env);
  if (outcome.kind === "wrong") throw new WrongUsage(outcome.reason);
  const json = flags.json === true;
  return {
    api: createApiClient(outcome.connection),
    terminal,
    flags,
    json,
    now: Date.now(),
    show: (document, render) => {
      if (json) terminal.print(jsonFor(terminal, document.json));
      else for (const line of render(document.value)) terminal.print(line);
    },
  };
}

/** JSON for standard output: unchanged in a pipe, and harmless on a screen. */
export function jsonFor(terminal: Terminal, json: string): string {
  return terminal.columns === undefined ? json : printableJson(json);
}
