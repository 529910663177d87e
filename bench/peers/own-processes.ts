import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { childrenOf } from "../process-tree.ts";

/** A server that has not ended by then is killed. */
const MOST_STOP_MS = 15_000;

export interface Program {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** A process that ends with the benchmark. */
export interface OwnProcess {
  readonly pid: number;
  /** Its exit code; null when a signal ended it. */
  readonly exited: Promise<number | null>;
  /** The end of what it has printed. */
  printed(): string;
}

/**
 * Starts a program that `ending` stops. It prints to a file, so that reading its log takes no processor time
 * from what is measured.
 */
export function startProcess(
  ending: AsyncDisposableStack,
  { program, args, env }: Program,
  logFile: string,
): OwnProcess {
  // After Ctrl-C the work goes on until it notices, and must not start what would never be stopped.
  if (ending.disposed) throw new Error("Interrupted");
  const log = openSync(logFile, "a");
  // A process group of its own: Ctrl-C reaches it once, through `ending`, with all that it has started.
  const child = spawn(program, args, { env, stdio: ["ignore", log, log], detached: true });
  closeSync(log);
  const exited = once(child, "exit").then(([code]) => code as number | null);
  exited.catch(() => {});
  ending.defer(async () => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    // Some are in sessions of their own, where a signal to the group does not reach them.
    const tree = treeOf(child.pid).map((pid) => ({ pid, started: startOf(pid) }));
    send(-child.pid, "SIGTERM");
    await Promise.race([exited, pause(MOST_STOP_MS, null, { ref: false })]);
    send(-child.pid, "SIGKILL");
    for (const { pid, started } of tree) {
      // The system gives numbers of ended processes to others.
      if (started !== null && startOf(pid) === started) send(pid, "SIGKILL");
    }
    await exited;
  });
  const printed = () => readFileSync(logFile, "utf8").trimEnd().slice(-2_000);
  return { pid: child.pid ?? 0, exited, printed };
}

/** Runs a program to its end. */
export async function runToEnd(
  ending: AsyncDisposableStack,
  program: Program,
  logFile: string,
): Promise<void> {
  const running = startProcess(ending, program, logFile);
  const code = await running.exited;
  if (code !== 0) {
    const command = [program.program, ...program.args].join(" ");
    throw new Error(`${command} ended with ${code}:\n${running.printed()}`);
  }
}

/** A process and all below it. Linux only. */
export function treeOf(pid: number): readonly number[] {
  return [pid, ...childrenOf(pid).flatMap((child) => treeOf(child))];
}

/** When a process was started, in ticks; null when it has ended. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
