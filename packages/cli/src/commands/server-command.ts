import { totalmem } from "node:os";
import { resolve } from "node:path";
import type { PlatformOptions, StartOutcome } from "@agate/platform";
import type { LogFormat, LogLevel, OtlpGrpcAddress } from "@agate/platform/options";
import {
  DEFAULT_USER_RANGE,
  LOG_FORMATS,
  LOG_LEVELS,
  OTLP_GRPC_PORT,
  type UserRange,
} from "@agate/platform/options";
import { Command, Option } from "commander";
import { EXIT_CODES, WrongUsage } from "./client/failures.ts";
import { readRegistry, readStore, registryOption, storeOption } from "./database-options.ts";
import {
  parseDuration,
  parseOrigin,
  parseOtlpGrpc,
  parsePort,
  parsePositiveNumber,
  parseProcessMemory,
  parseSize,
  parseTimeout,
  parseUserRange,
  parseVariableNames,
  parseWholeNumber,
} from "./option-parsers.ts";
import { stopSignal } from "./stop-signals.ts";

interface ServerFlags {
  readonly port: number;
  readonly host: string;
  readonly otlpGrpc: OtlpGrpcAddress;
  readonly dataDir: string;
  readonly store?: string;
  readonly registry?: string;
  readonly retention?: number;
  readonly prices?: string;
  readonly requireKey?: true;
  readonly corsOrigin?: readonly string[];
  readonly rateLimit: number;
  readonly logLevel: LogLevel;
  readonly logFormat?: LogFormat;
  readonly maxBody: number;
  readonly maxDecompressedBody: number;
  readonly maxWaiting: number;
  readonly maxRequestSpans: number;
  readonly maxSpansPerTrace: number;
  readonly maxConnections: number;
  readonly maxBuild: number;
  readonly queryTimeout: number;
  readonly buildUsers: UserRange | "none";
  readonly processes: number;
  readonly maxProcesses: number;
  readonly passEnv?: readonly string[];
  readonly maxBlocked: number;
  readonly processMemory: number;
  readonly alwaysOn?: true;
}

const MIB = 1024 ** 2;

/** More than the requests under way are given, but for calls of builds. */
const LONGEST_STOP_MS = 10_000;
/** With the calls of builds, which are given 30 s. */
const LONGEST_DRAIN_MS = 40_000;

/** `agate server`: the platform alone. */
export function serverCommand(): Command {
  return new Command("server")
    .description("Run the platform.")
    .option("--port <number>", "port to listen on; 0 for any free port", parsePort, 4100)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .addOption(otlpGrpcOption())
    .option("--data-dir <folder>", "data directory", ".agate")
    .addOption(storeOption())
    .addOption(registryOption())
    .option(
      "--retention <time>",
      "delete traces this long after they arrived (30d, 12h)",
      parseDuration,
    )
    .option("--prices <file>", "JSON file of model prices; overrides the built-in prices")
    .option("--require-key", "require an API key on a loopback address too")
    .option(
      "--cors-origin <origin>",
      "allow pages of this origin to call workflows and send traces (repeatable)",
      parseOrigin,
    )
    .option(
      "--rate-limit <number>",
      "requests per second for each API key; 0 for no limit",
      parseWholeNumber,
      1000,
    )
    .addOption(new Option("--log-level <level>", "log level").choices(LOG_LEVELS).default("info"))
    .addOption(
      new Option(
        "--log-format <format>",
        "log format (default: pretty in a terminal, json elsewhere)",
      ).choices(LOG_FORMATS),
    )
    .addOption(size("--max-body <size>", "largest request body", 16 * MIB, "16mb"))
    .addOption(
      size(
        "--max-decompressed-body <size>",
        "largest request body after decompression",
        unpackedBytes(),
        "64mb",
      ),
    )
    .addOption(
      size(
        "--max-waiting <size>",
        "decompressed bytes waiting for ingest; beyond it requests get a 429",
        256 * MIB,
        "256mb",
      ),
    )
    .option(
      "--max-request-spans <number>",
      "maximum number of spans in a request",
      parsePositiveNumber,
      50_000,
    )
    .option(
      "--max-spans-per-trace <number>",
      "maximum number of spans in a trace",
      parsePositiveNumber,
      1_000_000,
    )
    .option(
      "--max-connections <number>",
      "maximum number of open connections",
      parsePositiveNumber,
      10_000,
    )
    .addOption(size("--max-build <size>", "maximum size of a deployed build", 64 * MIB, "64mb"))
    .addOption(
      new Option("--query-timeout <time>", "timeout of lists and analytics (45s, 2m)")
        .argParser(parseTimeout)
        .default(30_000, "30s"),
    )
    .addOption(
      new Option(
        "--build-users <range>",
        "user ids that deployed builds run under, one per environment and application, where the server is root; none: its own",
      )
        .argParser(parseUserRange)
        .default(DEFAULT_USER_RANGE, "60578-61183"),
    )
    .option(
      "--pass-env <names>",
      "variables of the server, separated by commas, that deployed builds inherit (repeatable)",
      parseVariableNames,
    )
    .option(
      "--processes <number>",
      "number of processes for each live build",
      parsePositiveNumber,
      1,
    )
    .option(
      "--max-processes <number>",
      "maximum number of processes of builds, all together",
      parsePositiveNumber,
      100,
    )
    .addOption(
      new Option(
        "--max-blocked <time>",
        "kill a build's process this long after the first of the health checks that it misses",
      )
        .argParser(parseTimeout)
        .default(60_000, "60s"),
    )
    .addOption(
      new Option(
        "--process-memory <size>",
        "memory of a build's process; beyond it another one takes its place",
      )
        .argParser(parseProcessMemory)
        .default(1024 * MIB, "1gb"),
    )
    .option(
      "--always-on",
      "keep the processes of all environments running; without it, all but the default one's sleep after 15 minutes without a call",
    )
    .addHelpText(
      "after",
      `
Examples:
  $ agate server
  $ agate server --port 5000 --data-dir /var/lib/agate --retention 30d
  $ agate keys create admin --scope admin,deploy --data-dir .agate && agate server --host 0.0.0.0
  $ AGATE_STORE=clickhouse://agate:secret@ch/agate AGATE_REGISTRY=postgres://agate:secret@db/agate agate server`,
    )
    .action(runServer);
}

/** A body takes several times its size in each of three threads: where memory is scarce, fewer. */
function unpackedBytes(): number {
  // 0, or a number beyond all memory, where the process has no limit of its own.
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return Math.min(64 * MIB, Math.floor(memory / 48));
}

/** Of `agate server` and `agate dev`. */
export function otlpGrpcOption(): Option {
  return new Option(
    "--otlp-grpc <address>",
    "port, or address and port, for OTLP over gRPC; off to take none",
  )
    .argParser(parseOtlpGrpc)
    .default("if-free", `${OTLP_GRPC_PORT} if free`);
}

function size(flags: string, description: string, bytes: number, shown: string): Option {
  return new Option(flags, description).argParser(parseSize).default(bytes, shown);
}

async function runServer(flags: ServerFlags, command: Command): Promise<void> {
  const databases = readDatabases(flags, command);
  // From the first moment: a signal while it starts must not leave the folder half made.
  const stopped = stopSignal();
  // By default SIGUSR1 opens a debugger on 127.0.0.1, and any program of the same user can send it:
  // a deployed build would reach everything in this process.
  process.on("SIGUSR1", () => {});
  // Not before: every other command starts without it.
  const { startPlatform } = await import("@agate/platform");
  const outcome: StartOutcome = await startPlatform({
    host: flags.host,
    port: flags.port,
    otlpGrpc: flags.otlpGrpc,
    dataDirectory: resolve(flags.dataDir),
    ...databases,
    retentionMs: flags.retention ?? null,
    pricesFile: flags.prices ?? null,
    requireKey: flags.requireKey ?? false,
    corsOrigins: flags.corsOrigin,
    log: {
      level: flags.logLevel,
      format: flags.logFormat ?? (process.stdout.isTTY ? "pretty" : "json"),
    },
    passEnv: flags.passEnv ?? [],
    ...(flags.buildUsers !== "none" && { buildUsers: flags.buildUsers }),
    processes: {
      perBuild: flags.processes,
      most: flags.maxProcesses,
      blockedMs: flags.maxBlocked,
      memoryBytes: flags.processMemory,
      ...(flags.alwaysOn && { sleepMs: null }),
    },
    limits: {
      body: flags.maxBody,
      decompressedBody: flags.maxDecompressedBody,
      waiting: flags.maxWaiting,
      requestSpans: flags.maxRequestSpans,
      traceSpans: flags.maxSpansPerTrace,
      connections: flags.maxConnections,
      build: flags.maxBuild,
      rate: flags.rateLimit,
      queryTimeoutMs: flags.queryTimeout,
    },
  });
  if (outcome.kind === "refused") {
    process.stderr.write(`agate: ${outcome.reason}\n`);
    process.exitCode = EXIT_CODES.failed;
    return;
  }
  const { platform } = outcome;
  const end = await Promise.race([stopped, platform.failed]);
  const exitCode = end === "stopped" ? 0 : EXIT_CODES.failed;
  endIn(LONGEST_DRAIN_MS, exitCode);
  void platform.buildsEnded.then(() => endIn(LONGEST_STOP_MS, exitCode));
  if (end === "stopped") {
    await platform.close();
    return;
  }
  // What else goes wrong now follows from this error, and must not hide it.
  await Promise.allSettled([platform.close()]);
  process.stderr.write(`agate: The server cannot go on: ${end.message}. Its log says more.\n`);
  process.exit(EXIT_CODES.failed);
}

/** Ends the process even if something still waits then, such as a database that has fallen silent. */
function endIn(ms: number, code: number): void {
  const end = () => {
    process.stderr.write(`agate: What was not done after ${ms / 1000} seconds was broken off.\n`);
    process.exit(code);
  };
  setTimeout(end, ms).unref();
}

function readDatabases(
  flags: ServerFlags,
  command: Command,
): Pick<PlatformOptions, "store" | "registry"> {
  try {
    const store = readStore(flags.store, process.env);
    const registry = readRegistry(flags.registry, process.env);
    return { ...(store && { store }), ...(registry && { registry }) };
  } catch (error) {
    if (error instanceof WrongUsage) command.error(`error: ${error.message}`);
    throw error;
  }
}
