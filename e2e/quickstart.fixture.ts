import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll } from "vitest";
import { evaluateQuickstart } from "../scripts/evaluate-quickstart.ts";

const root = join(import.meta.dirname, "..");
export const example = join(root, "examples/quickstart");

/** A program in a process group of its own, as a terminal runs it. */
export interface Started {
  readonly child: ChildProcess;
  /** Both of its streams, so far. */
  log(): string;
  /** What the pattern's first group matches, once the program has printed it. */
  printed(pattern: RegExp): Promise<string>;
  /** The exit code; null for a signal. */
  readonly ended: Promise<number | null>;
}

export type RunProgram = (
  program: string,
  args: readonly string[],
  env?: NodeJS.ProcessEnv,
) => Started;

/** Runs programs in the repository's folder; those that still run when the tests of the file end are ended. */
export function withPrograms(): RunProgram {
  const started: ChildProcess[] = [];
  afterAll(() => {
    for (const { pid, exitCode, signalCode } of started) {
      const isRunning = exitCode === null && signalCode === null;
      if (pid !== undefined && isRunning) process.kill(-pid, "SIGTERM");
    }
  });
  return function run(
    program: string,
    args: readonly string[],
    env: NodeJS.ProcessEnv = {},
  ): Started {
    const child = spawn(program, args, {
      cwd: root,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, OPENAI_API_KEY: "", OPENAI_BASE_URL: "", ...env },
    });
    started.push(child);
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
    }
    let hasEnded = false;
    const ended = once(child, "close").then(() => {
      hasEnded = true;
      return child.exitCode;
    });
    const printed = async (pattern: RegExp) => {
      for (;;) {
        const found = pattern.exec(text)?.[1];
        if (found !== undefined) return found;
        if (hasEnded) throw new Error(`It ended without printing ${pattern}:\n${text}`);
        await Promise.race([once(child.stdout!, "data"), once(child.stderr!, "data"), ended]);
      }
    };
    return { child, log: () => text, printed, ended };
  };
}

export function registryOf(platform: string): string {
  return `${platform}/registry/applications/quickstart`;
}

export async function promoteStaging(platform: string): Promise<Response> {
  return fetch(`${registryOf(platform)}/environments/production/promote`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ from: "staging" }),
  });
}

export function evaluate(platformUrl: string): Promise<void> {
  const { signal } = new AbortController();
  return evaluateQuickstart({ platformUrl, application: "quickstart", folder: example, signal });
}

/** `npm run eval` of the example. */
export async function evaluateExample(
  run: RunProgram,
  ...args: readonly string[]
): Promise<{ readonly code: number | null; readonly log: string }> {
  const npm = run("npm", ["run", "eval", "--silent", "-w", "examples/quickstart", ...args]);
  return { code: await npm.ended, log: npm.log() };
}
