import { CommanderError } from "commander";
import { EXIT_CODES } from "./client/failures.ts";
import type { CommandProcess } from "./command-process.ts";
import { createProgram } from "./create-program.ts";

/** Runs the command line of this process. */
export async function main(): Promise<void> {
  // node:sqlite prints a warning that it is experimental at every start; the pinned version is tested.
  process.removeAllListeners("warning");
  process.on("warning", (warning) => {
    if (warning.name !== "ExperimentalWarning") process.stderr.write(`${warning.stack}\n`);
  });

  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      // `agate --help | head -1`: the reader has seen enough.
      if (error.code !== "EPIPE") throw error;
    });
  }
  await runCommandLine(process.argv.slice(2), process);
}

/** Runs one command and sets the exit code. */
export async function runCommandLine(
  args: readonly string[],
  ownProcess: CommandProcess,
): Promise<void> {
  try {
    await createProgram(ownProcess).parseAsync(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Commander has printed what there was to say; --help and --version come this way too.
    ownProcess.exitCode = error.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.usage;
  }
}
