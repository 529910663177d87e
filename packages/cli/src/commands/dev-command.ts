import { resolve } from "node:path";
import { LOG_LEVELS, type LogLevel, type OtlpGrpcAddress } from "@agate/platform/options";
import { Command, Option } from "commander";
import type { DevEvent } from "../dev/dev-event.ts";
import { describeEvent } from "../dev/dev-event.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { examples, HEADINGS } from "./client/command-help.ts";
import { CommandFailure, EXIT_CODES } from "./client/failures.ts";
import { onThisMachine } from "./on-this-machine.ts";
import { parseOrigin, parsePort } from "./option-parsers.ts";
import { otlpGrpcOption } from "./server-command.ts";
import { stopSignal } from "./stop-signals.ts";

interface DevFlags {
  readonly port: number;
  readonly host: string;
  readonly otlpGrpc: OtlpGrpcAddress;
  readonly dataDir: string;
  readonly app?: string;
  readonly corsOrigin?: readonly string[];
  readonly typecheck: boolean;
  readonly logLevel: LogLevel;
  readonly json?: boolean;
}

interface Session {
  readonly flags: DevFlags;
  readonly terminal: Terminal;
}

/** `agate dev`: the platform and a workflow, reloaded on save. */
export function devCommand(): Command {
  const command = new Command("dev")
    .description("Run the platform and a workflow on one port, and reload it on save.")
    .helpGroup(HEADINGS.start)
    .argument("[file]", "the program that declares the routes (default: app.ts or src/app.ts)")
    .option("--port <number>", "port to listen on; 0 for any free port", parsePort, 4100)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .addOption(otlpGrpcOption())
    .option("--data-dir <folder>", "data directory", ".agate")
    .option(
      "--app <name>",
      "name of the application (default: $AGATE_APPLICATION, else the project's)",
    )
    .option(
      "--cors-origin <origin>",
      "allow pages of this origin to call the workflow and send traces (repeatable)",
      parseOrigin,
    )
    .option("--no-typecheck", "do not check types in the background")
    .addOption(
      new Option("--log-level <level>", "log level of the platform")
        .choices(LOG_LEVELS)
        .default("warn"),
    )
    .option("--json", "print one JSON event per line")
    .addHelpText("after", examples("agate dev", "agate dev src/main.ts --port 5000"));
  return onThisMachine(command, runDev);
}

async function runDev({ flags, terminal }: Session, named: string | undefined): Promise<void> {
  // From the first moment: a signal while it starts must not leave anything behind.
  const stopped = stopSignal();
  const { openProgram } = await import("../dev/open-program.ts");
  const { startDev } = await import("../dev/start-dev.ts");
  const project = await openProgram(named, process.cwd());
  if (project.kind === "refused") throw new CommandFailure(project.reason);
  const emit = flags.json ? jsonLines(terminal) : lines(terminal);
  const outcome = await startDev({
    project,
    host: flags.host,
    port: flags.port,
    otlpGrpc: flags.otlpGrpc,
    dataDirectory: resolve(flags.dataDir),
    application: flags.app,
    corsOrigins: flags.corsOrigin,
    checkTypes: flags.typecheck,
    log: {
      level: flags.logLevel,
      format: process.stderr.isTTY ? "pretty" : "json",
      destination: process.stderr.fd,
      // Calls of the workflow are told in any case; the platform's own are for those who ask for more.
      requests: flags.logLevel === "info" || flags.logLevel === "debug",
    },
    emit,
  });
  if (outcome.kind === "refused") throw new CommandFailure(outcome.reason);
  const { dev } = outcome;
  const end = await Promise.race([stopped, dev.failed]);
  if (end === "stopped") {
    emit({ event: "ending" });
    await dev.close();
    return;
  }
  // What else goes wrong now follows from this error, and must not hide it.
  await Promise.allSettled([dev.close()]);
  terminal.note(`agate: It cannot go on: ${end.message}.`);
  process.exit(EXIT_CODES.failed);
}

/** The first outcome of the workflow. */
const OUTCOMES: ReadonlySet<DevEvent["event"]> = new Set(["ready", "broken", "unusable"]);

/** The address is printed when the workflow answers, or cannot: a call before that would fail. */
function lines(terminal: Terminal): (event: DevEvent) => void {
  let address: readonly string[] = [];
  return (event) => {
    const shown = describeEvent(event, terminal.paint);
    if (event.event === "started") {
      terminal.print(`Starting ${event.application}.`);
      address = shown;
    } else if (event.event === "output" && event.stream === "stderr") {
      terminal.note(event.line);
    } else {
      for (const line of OUTCOMES.has(event.event) ? [...address, ...shown] : shown) {
        terminal.print(line);
      }
      if (OUTCOMES.has(event.event)) address = [];
    }
  };
}

function jsonLines(terminal: Terminal): (event: DevEvent) => void {
  return (event) => terminal.print(JSON.stringify(event));
}
