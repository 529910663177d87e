import type { ChildProcessByStdio } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Ended } from "../run-agate.ts";
import { runAgate } from "../run-agate.ts";
import { runInProcess } from "../run-in-process.ts";

const AGATE = fileURLToPath(new URL("../../packages/cli/dist/agate.js", import.meta.url));

/** The variables of this process without those that commands would obey. */
const ENVIRONMENT = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^AGATE_|COLOR/.test(name)),
  ),
};

export type AgateClient = (...args: string[]) => Promise<Ended>;

/**
 * The built command line as a client of one platform, in this process.
 *
 * @example
 * const agate = clientOf(server.url);
 * const { stdout } = await agate("apps");
 */
export function clientOf(
  url: string,
  variables: Readonly<Record<string, string>> = {},
): AgateClient {
  const env = { ...ENVIRONMENT, AGATE_BASE_URL: url, ...variables };
  return (...args) => runInProcess(args, { env });
}

/** The same, with a process for each command. */
export function spawnedClientOf(
  url: string,
  variables: Readonly<Record<string, string>> = {},
): AgateClient {
  const env = { ...ENVIRONMENT, AGATE_BASE_URL: url, ...variables };
  return (...args) => runAgate(args, { env });
}

/** A command that goes on until it is told to end. */
export interface StartedAgate extends AsyncDisposable {
  readonly stdin: Writable;
  /** Everything on standard output so far. */
  output(): string;
  errors(): string;
  /** Resolves when standard output matches. */
  prints(pattern: RegExp): Promise<void>;
  /** Closes the reading end of its standard output. */
  stopReading(): void;
  signal(signal: NodeJS.Signals): void;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

export function startAgate(url: string, args: readonly string[]): StartedAgate {
  const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn(
    process.execPath,
    [AGATE, ...args],
    { env: { ...ENVIRONMENT, AGATE_BASE_URL: url }, stdio: ["pipe", "pipe", "pipe"] },
  );
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    output += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    errors += chunk;
  });
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal }));
  return {
    stdin: child.stdin,
    output: () => output,
    errors: () => errors,
    prints: async (pattern) => {
      while (!pattern.test(output)) {
        const over = await Promise.race([once(child.stdout, "data"), ended.then(() => "ended")]);
        if (over === "ended" && !pattern.test(output)) {
          throw new Error(`It ended without ${pattern}:\n${output}\n${errors}`);
        }
      }
    },
    stopReading: () => child.stdout.destroy(),
    signal: (signal) => void child.kill(signal),
    ended,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Whether {@link inTerminal} works here: `script` takes other options elsewhere. */
export const hasTerminals = process.platform === "linux";

/** What a command shows in a terminal of its own, where its question is answered with this line. */
export async function inTerminal(
  url: string,
  args: readonly string[],
  answer: string,
): Promise<string> {
  const line = [process.execPath, AGATE, ...args].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["--quiet", "--command", line, "/dev/null"], {
    env: { ...ENVIRONMENT, AGATE_BASE_URL: url, NO_COLOR: "1" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let shown = "";
  let isAnswered = false;
  for await (const chunk of child.stdout.setEncoding("utf8")) {
    shown += chunk;
    // What it is asked is followed by what moves the cursor.
    if (!isAnswered && shown.includes("[y/N] ")) {
      isAnswered = true;
      child.stdin.write(`${answer}\n`);
    }
  }
  return shown;
}
