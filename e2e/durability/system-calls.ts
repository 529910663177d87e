import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface SystemCall {
  readonly name: string;
  /** Its arguments as strace shows them: file descriptors with the names of their files. */
  readonly text: string;
  readonly returned: number;
}

export type Tracing =
  | { readonly kind: "unavailable"; readonly reason: string }
  | {
      readonly kind: "tracing";
      /** The calls since, in the order in which they returned. */
      stop(): Promise<readonly SystemCall[]>;
    };

/** Follows a running process with strace, where that is installed and permitted. */
export async function traceSystemCalls(pid: number, names: readonly string[]): Promise<Tracing> {
  const folder = await mkdtemp(join(tmpdir(), "agate-strace-"));
  const file = join(folder, "calls");
  const strace = spawn(
    "strace",
    ["-f", "-y", "-s", "64", "-e", `trace=${names.join(",")}`, "-o", file, "-p", String(pid)],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const ended = once(strace, "close").catch(() => []);
  const attached = new Promise<void>((resolve) => {
    strace.stderr.on("data", (chunk) => {
      if (String(chunk).includes("attached")) resolve();
    });
  });
  const first = await Promise.race([attached.then(() => "attached"), ended.then(() => "ended")]);
  if (first === "ended") {
    await rm(folder, { recursive: true });
    return { kind: "unavailable", reason: "strace is not installed, or may not attach" };
  }
  return {
    kind: "tracing",
    async stop() {
      strace.kill("SIGINT");
      await ended;
      const lines = (await readFile(file, "utf8")).split("\n");
      await rm(folder, { recursive: true });
      return parseCalls(lines);
    },
  };
}

/** A call that another thread interrupts is shown in two lines; it counts where it returns. */
function parseCalls(lines: readonly string[]): SystemCall[] {
  const calls: SystemCall[] = [];
  const unfinished = new Map<string, string>();
  for (const line of lines) {
    const [, thread = "", rest = ""] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    if (rest.endsWith("<unfinished ...>")) {
      unfinished.set(thread, rest.slice(0, -"<unfinished ...>".length));
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest);
    const whole = resumed === null ? rest : `${unfinished.get(thread) ?? ""}${resumed[1]}`;
    const call = /^(\w+)\((.*)\)\s+= (-?\d+)/.exec(whole);
    if (call === null) continue;
    const [, name = "", text = "", returned] = call;
    calls.push({ name, text, returned: Number(returned) });
  }
  return calls;
}
