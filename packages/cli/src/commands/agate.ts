#!/usr/bin/env node
import { createProgram } from "./create-program.ts";

// node:sqlite prints a warning that it is experimental at every start; the pinned version is tested.
process.removeAllListeners("warning");
process.on("warning", (warning) => {
  if (warning.name !== "ExperimentalWarning") process.stderr.write(`${warning.stack}\n`);
});

await createProgram().parseAsync();
