// Loaded into every build's process before its own program, with `--import`. A build must not outlive
// its platform, even one that never loads the SDK: the channel to the platform closes with it, also
// when it was killed.

const LAST_WORDS_MS = 2_000;

process.once("disconnect", () => {
  // The program's own handlers get their chance; where it has none, this ends it at once.
  process.kill(process.pid, "SIGTERM");
  setTimeout(() => process.kill(process.pid, "SIGKILL"), LAST_WORDS_MS).unref();
});
// Listening to the channel keeps a process alive, and a program that is through is to end.
process.channel?.unref();
