import { isLoopbackAddress } from "@agate/platform/options";
import { Command } from "commander";
import type { Terminal } from "../terminal/terminal.ts";
import { examples, HEADINGS } from "./client/command-help.ts";
import { CommandFailure } from "./client/failures.ts";
import { onThisMachine } from "./on-this-machine.ts";
import { parseOrigin, parsePort } from "./option-parsers.ts";

interface ServeFlags {
  readonly port: number;
  readonly host: string;
  readonly app?: string;
  readonly corsOrigin?: readonly string[];
  readonly json?: boolean;
}

interface Session {
  readonly flags: ServeFlags;
  readonly terminal: Terminal;
}

/** `agate serve`: a workflow alone. */
export function serveCommand(): Command {
  const command = new Command("serve")
    .description("Serve a workflow without a platform.")
    .helpGroup(HEADINGS.start)
    .argument("[file]", "the program that declares the routes (default: app.ts or src/app.ts)")
    .option("--port <number>", "port to listen on; 0 for any free port", parsePort, 4101)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option(
      "--app <name>",
      "name of the application (default: $AGATE_APPLICATION, else the project's)",
    )
    .option(
      "--cors-origin <origin>",
      "allow pages of this origin to call the workflow (repeatable)",
      parseOrigin,
    )
    .option("--json", "print the address, and then each call, as one line of JSON")
    .addHelpText(
      "after",
      `
AGATE_BASE_URL and AGATE_API_KEY name the platform that has its configuration
and receives its traces. Calls need no key: every client that can reach the
address can call the workflow.
${examples("agate serve app.ts", "AGATE_BASE_URL=http://127.0.0.1:4100 agate serve app.ts --port 5000")}`,
    );
  return onThisMachine(command, runServe);
}

async function runServe({ flags, terminal }: Session, named: string | undefined): Promise<void> {
  const { host, port, app, corsOrigin } = flags;
  const { openProgram } = await import("../dev/open-program.ts");
  const { callLine } = await import("../dev/dev-event.ts");
  const { serveApp } = await import("../dev/serve-app.ts");
  const { formatProblems } = await import("../packing/code-problem.ts");
  const project = await openProgram(named, process.cwd());
  if (project.kind === "refused") throw new CommandFailure(project.reason);
  const outcome = await serveApp({
    project,
    host,
    port,
    application: app,
    corsOrigins: corsOrigin,
    onCall: (call) =>
      terminal.print(flags.json ? JSON.stringify(call) : callLine(call, terminal.paint)),
  });
  switch (outcome.kind) {
    case "refused":
      throw new CommandFailure(outcome.reason);
    case "broken":
      terminal.writeNote(formatProblems(outcome.problems, terminal.paintNote));
      throw new CommandFailure(`${project.entryName} cannot be built, as shown above.`);
    case "threw":
      terminal.note(textOf(outcome.error));
      terminal.note(`agate: ${project.entryName} threw while it started, as shown above.`);
      // What it had begun by then may go on for ever.
      process.exit(1);
      break;
    case "serving": {
      const { url, application } = outcome;
      if (flags.json) {
        terminal.print(JSON.stringify({ url, application }));
      } else {
        terminal.print(`${application} is served at ${url}`);
        terminal.print(whereTracesGo(process.env));
      }
      if (!isLoopbackAddress(host)) {
        terminal.note(
          `Every client that can reach ${host} can call it without a key. Put an authenticating proxy in front.`,
        );
      }
    }
  }
}

function whereTracesGo({ AGATE_BASE_URL: platform }: NodeJS.ProcessEnv): string {
  return platform
    ? `Configuration comes from ${platform}, and traces go there.`
    : "AGATE_BASE_URL is not set: configuration comes from agate.config.json, and no trace is kept.";
}

/** What was thrown, with the lines of its stack that are the program's. */
function textOf(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return text.replace(/\n {4}at (?:async )?(?:\S+ \()?node:internal\/modules\/.*$/s, "");
}
