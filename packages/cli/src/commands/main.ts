import { CommanderError } from "commander";
import { createProgram } from "./create-program.ts";
import { EXIT_CODES } from "./exit-codes.ts";

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

  try {
    await createProgram().parseAsync();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Commander has printed what there was to say; --help and --version come this way too.
    process.exitCode = error.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.usage;
  }
}
