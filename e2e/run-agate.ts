import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

const AGATE = fileURLToPath(new URL("../packages/cli/dist/agate.js", import.meta.url));
/** Ends what hangs, such as a server that starts instead of being refused. A busy machine is many times slower. */
const PATIENCE_MS = 60_000;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built command line until it ends. */
export async function runAgate(
  args: readonly string[],
  options: {
    readonly cwd?: string;
    readonly uid?: number;
    /** Instead of this process's own variables. */
    readonly env?: NodeJS.ProcessEnv;
    /** Asks it to end (SIGTERM) when this is settled, if it is still running. */
    readonly stopWhen?: Promise<unknown>;
    /** Kills it when this is settled. */
    readonly killWhen?: Promise<unknown>;
    /** Closes the reading end of its standard output at once. */
    readonly deaf?: boolean;
  } = {},
): Promise<Ended> {
  const { deaf = false, stopWhen, killWhen, ...place } = options;
  const child = spawn(process.execPath, [AGATE, ...args], {
    ...place,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: PATIENCE_MS,
    killSignal: "SIGKILL",
  });
  const end = (signal: NodeJS.Signals) => () => void child.kill(signal);
  stopWhen?.then(end("SIGTERM"), end("SIGTERM"));
  killWhen?.then(end("SIGKILL"), end("SIGKILL"));
  if (deaf) child.stdout.destroy();
  const [stdout, stderr] = await Promise.all([
    deaf ? "" : text(child.stdout),
    text(child.stderr),
    child.exitCode ?? once(child, "exit"),
  ]);
  return { code: child.exitCode, stdout, stderr };
}

/** It said why in one line on standard error, said nothing else, and ended with this code. */
export function expectRefusal(ended: Ended, code: number, reason: string | RegExp): void {
  expect(ended.stderr).toMatch(reason);
  // A stack trace has more than one line, and so has help.
  expect(ended.stderr).toMatch(/^agate: [^\n]+\.\n$/);
  expect(ended.stdout).toBe("");
  expect(ended.code).toBe(code);
}
