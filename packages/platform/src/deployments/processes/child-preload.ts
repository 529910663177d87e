import { closeSync, readSync, rmSync } from "node:fs";
import { dirname } from "node:path";

// Loaded into every build's process before its own program, with `--import`.

// The environment's variables come through a pipe. The program, and what it starts, must not look for it.
const pipe = process.env.AGATE_VARIABLES_FD;
delete process.env.AGATE_VARIABLES_FD;
if (pipe !== undefined) {
  for (const [name, value] of readVariables(Number(pipe))) process.env[name] = value;
}

function readVariables(descriptor: number): [name: string, value: string][] {
  const chunks: Buffer[] = [];
  for (;;) {
    const chunk = Buffer.allocUnsafe(64 * 1024);
    const length = readSync(descriptor, chunk);
    if (length === 0) break;
    chunks.push(chunk.subarray(0, length));
  }
  closeSync(descriptor);
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}

// A line that cannot be printed (ENOBUFS where much is printed at once) must not end the program.
for (const output of [process.stdout, process.stderr]) output.on("error", () => {});

// A build must not outlive its platform, even one that never loads the SDK: the channel to the
// platform closes with it, also when it was killed.
const LAST_WORDS_MS = 2_000;
// Now, because the program may change it.
const socket = (process.env.AGATE_LISTEN ?? "").slice("unix:".length);

process.once("disconnect", () => {
  // No other process is left to remove the socket's folder. A pipe of Windows has none.
  try {
    if (process.platform !== "win32") rmSync(dirname(socket), { recursive: true, force: true });
  } catch {
    // The platform was quicker.
  }
  // The program's own handlers get their chance; where it has none, this ends it at once.
  process.kill(process.pid, "SIGTERM");
  setTimeout(() => process.kill(process.pid, "SIGKILL"), LAST_WORDS_MS).unref();
});
// The permission model does not cover signals: one to the platform could end it, or open a debugger in it.
if (process.permission !== undefined && !process.permission.has("child")) {
  const own = process as {
    _kill?: (pid: number, signal: number) => unknown;
    _debugProcess?: unknown;
  };
  const kill = own._kill;
  Object.defineProperty(own, "_kill", {
    value: (pid: number, signal: number) => {
      if (pid === process.pid) return kill?.call(process, pid, signal);
      const message =
        "A build may send signals to itself only, unless it may start child processes.";
      throw Object.assign(new Error(message), {
        code: "ERR_ACCESS_DENIED",
        permission: "ChildProcess",
      });
    },
  });
  Object.defineProperty(own, "_debugProcess", { value: undefined });
}

// The values of `ag.secret` are told to the platform, which keeps them out of what the build prints. The
// SDK calls this, if it is there.
Object.defineProperty(globalThis, Symbol.for("agate.secret"), {
  value: (name: string, value: string) => {
    // Nothing is left to be told once the channel is closed: no line is kept any more.
    if (process.connected) process.send?.({ agate: "secret", name, value }, () => {});
  },
});

// Listening to the channel keeps a process alive, and a program that is through is to end.
process.channel?.unref();
