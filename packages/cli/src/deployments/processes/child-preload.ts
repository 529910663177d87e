import { rmdirSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";

// Loaded into every build's process before its own program, with `--import`.

// A line that cannot be printed (ENOBUFS where much is printed at once) must not end the program.
for (const output of [process.stdout, process.stderr]) output.on("error", () => {});

// A build must not outlive its platform, even one that never loads the SDK: the channel to the
// platform closes with it, also when it was killed.
const LAST_WORDS_MS = 2_000;
// Now, because the program may change it.
const socket = (process.env.AGATE_LISTEN ?? "").slice("unix:".length);

process.once("disconnect", () => {
  // Nobody comes any more, and nobody else is there to tidy up.
  try {
    unlinkSync(socket);
    rmdirSync(dirname(socket));
  } catch {
    // It never listened, or the platform was quicker.
  }
  // The program's own handlers get their chance; where it has none, this ends it at once.
  process.kill(process.pid, "SIGTERM");
  setTimeout(() => process.kill(process.pid, "SIGKILL"), LAST_WORDS_MS).unref();
});
// Listening to the channel keeps a process alive, and a program that is through is to end.
process.channel?.unref();
