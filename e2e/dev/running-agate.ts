import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const AGATE = fileURLToPath(new URL("../../packages/cli/dist/agate.js", import.meta.url));

/** `agate dev` or `agate serve` in a process of its own. */
export interface RunningAgate extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Everything that it has printed so far, on both streams. */
  text(): string;
  /** Waits until it has printed this, after what was waited for before; gives the first group. */
  printed(pattern: RegExp): Promise<string>;
  /** Sends it a signal and waits for its end. */
  end(signal?: NodeJS.Signals): Promise<AgateEnd>;
}

export interface AgateEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface AgateOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Starts it, and waits for the address that it prints. */
export async function startAgate(
  args: readonly string[],
  { cwd, env = {} }: AgateOptions,
): Promise<RunningAgate> {
  const child = spawn(process.execPath, [AGATE, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  let seen = 0;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      child.emit("printed");
    });
  }
  const closed = once(child, "close");
  const printed = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const match = pattern.exec(text.slice(seen));
      if (match !== null) {
        seen += match.index + match[0].length;
        return match[1] ?? "";
      }
      if (child.exitCode !== null || child.signalCode !== null) {
        throw new Error(`It ended without printing ${pattern}:\n${text}`);
      }
      await Promise.race([once(child, "printed"), closed]);
    }
  };
  const end = async (signal: NodeJS.Signals = "SIGTERM"): Promise<AgateEnd> => {
    child.kill(signal);
    await closed;
    return { code: child.exitCode, signal: child.signalCode };
  };
  const url = await printed(/(http:\/\/[^\s"]+)/);
  return {
    url,
    pid: child.pid as number,
    text: () => text,
    printed,
    end,
    [Symbol.asyncDispose]: async () => void (await end("SIGKILL")),
  };
}
