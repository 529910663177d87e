import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const AGATE = fileURLToPath(new URL("../packages/cli/dist/agate.js", import.meta.url));

export interface ServerOptions {
  /** Another copy of the program than the one in `dist`. */
  readonly program?: string;
  /** Left where it is afterwards. Without one the server gets an empty folder that goes with it. */
  readonly dataDirectory?: string;
  /** A program that runs the server with further limits, and is replaced by it: `prlimit`, say. */
  readonly within?: readonly string[];
  /** More flags of `agate server`. */
  readonly flags?: readonly string[];
  /** Variables besides this process's own. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The built `agate server` in a process of its own, on a free port of the loopback address. */
export interface RunningServer extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  readonly dataDirectory: string;
  /** Everything it has printed so far, on both streams. */
  log(): string;
  /** Resolves with the exit code when it has ended; null for a signal. */
  readonly ended: Promise<number | null>;
  /** Asks it to end and gives the exit code; null if a signal ended it. */
  stop(signal?: "SIGTERM" | "SIGINT"): Promise<number | null>;
  /** Ends it as a power cut would (SIGKILL), and waits until it is gone. */
  kill(): Promise<void>;
}

/**
 * Starts the server and waits until it says that it is running.
 *
 * @example
 * await using server = await startServer();
 * await fetch(`${server.url}/health`);
 */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  await using started = new AsyncDisposableStack();
  const dataDirectory = options.dataDirectory ?? (await temporaryFolder(started));
  const program = options.program ?? AGATE;
  const [command = "", ...args] = [
    ...(options.within ?? []),
    process.execPath,
    ...[program, "server", "--port", "0", "--data-dir", dataDirectory],
    // Not the usual port, which the server of another test may have.
    ...(options.program === undefined ? ["--otlp-grpc", "off"] : []),
    ...(options.flags ?? []),
  ];
  const child = spawn(command, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...options.env },
  });
  // A test that is given up does not come to the end of its scope.
  const endWithUs = () => {
    child.kill("SIGKILL");
    if (options.dataDirectory !== undefined) return;
    // The server may still be writing for a moment.
    rmSync(dataDirectory, { recursive: true, force: true, maxRetries: 5 });
  };
  process.once("exit", endWithUs);
  child.once("exit", () => process.off("exit", endWithUs));
  const ended = once(child, "close").then(() => child.exitCode);
  const end = (signal: "SIGTERM" | "SIGINT" | "SIGKILL") => {
    child.kill(signal);
    return ended;
  };
  started.defer(async () => void (await end("SIGKILL")));

  const output = collect(child);
  const url = await Promise.race([output.url, ended]);
  if (typeof url !== "string") {
    throw new Error(`The server ended with code ${url} before it ran:\n${output.text()}`);
  }
  const parts = started.move();
  return {
    url,
    pid: child.pid as number,
    dataDirectory,
    log: output.text,
    ended,
    stop: (signal = "SIGTERM") => end(signal),
    kill: async () => void (await end("SIGKILL")),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

async function temporaryFolder(parts: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "agate-e2e-"));
  parts.defer(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The child's output, and the address in its line "Agate is running." */
function collect(child: ChildProcess): { text(): string; url: Promise<string> } {
  const running = Promise.withResolvers<string>();
  let output = "";
  let unread = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    output += chunk;
  });
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    output += chunk;
    const lines = (unread + chunk).split("\n");
    unread = lines.pop() ?? "";
    for (const line of lines) {
      const url = line.includes('"Agate is running."') && urlIn(line);
      if (url) running.resolve(url);
    }
  });
  return { text: () => output, url: running.promise };
}

function urlIn(line: string): string | undefined {
  return (JSON.parse(line) as { url?: string }).url;
}
