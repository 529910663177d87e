import { createRequire } from "node:module";
import { Readable, Writable } from "node:stream";
import type { Ended } from "./run-agate.ts";

type CommandLine = typeof import("../packages/cli/src/commands/main.ts");

/** Loaded by Node itself, not by Vitest: it is the built tool. */
const builtTool = createRequire(import.meta.url);

/**
 * Runs a command of the built tool in this process: for commands of which output, requests and exit code
 * matter. Signals, terminals and the working folder belong to the process, so commands that use them run
 * by `runAgate`.
 *
 * @param options.env Instead of this process's own variables.
 * @param options.stdin What standard input has; without it, nothing.
 * @throws where the command leaves a listener or an exit code in this process.
 */
export async function runInProcess(
  args: readonly string[],
  { env = process.env, stdin = "" }: { env?: NodeJS.ProcessEnv; stdin?: string } = {},
): Promise<Ended> {
  const { runCommandLine } = builtTool("../packages/cli/dist/main.js") as CommandLine;
  const [stdout, stderr] = [new TextStream(), new TextStream()];
  const ownProcess: Parameters<typeof runCommandLine>[1] = {
    env,
    stdin: Readable.from([stdin]),
    // Like a pipe: without what only terminals have.
    stdout: stdout as unknown as NodeJS.WriteStream,
    stderr: stderr as unknown as NodeJS.WriteStream,
  };
  const before = processState();
  await runCommandLine(args, ownProcess);
  const after = processState();
  if (after !== before) throw new Error(`agate ${args.join(" ")} left ${after}, not ${before}`);
  return { code: Number(ownProcess.exitCode ?? 0), stdout: stdout.text, stderr: stderr.text };
}

/** A stream that keeps what is written. */
class TextStream extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: string, written: () => void): void {
    this.#chunks.push(chunk);
    written();
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString("utf8");
  }
}

/**
 * What a command could change for the commands after it. Not the listeners of "exit": they come and go with
 * the servers that a test has started.
 */
function processState(): string {
  const listeners = ["SIGINT", "SIGTERM", "warning", "uncaughtException"].map(
    (event) => `${process.listenerCount(event)} × ${event}`,
  );
  return [`exit code ${process.exitCode}`, ...listeners].join(", ");
}
