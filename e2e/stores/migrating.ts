import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { startServer } from "../running-server.ts";
import type { SentSpan } from "../sent-span.ts";
import { sendSpans } from "../sent-span.ts";

const AGATE = fileURLToPath(new URL("../../packages/cli/dist/agate.js", import.meta.url));

export const SPANS_PER_TRACE = 40;
const TRACES_PER_REQUEST = 50;

export const traceIdOf = (trace: number): string => (trace + 1).toString(16).padStart(32, "0");

export function sentSpan(trace: number, n: number): SentSpan {
  const idOf = (span: number) => (trace * 100 + span + 1).toString(16).padStart(16, "0");
  return {
    traceId: traceIdOf(trace),
    spanId: idOf(n),
    parentSpanId: n === 0 ? null : idOf(Math.floor((n - 1) / 3)),
    name: `span ${n} "ünï" 𝒳`,
    start: 1_790_000_000_000_000 + trace * 1_000 + n,
    inputs: `words of ${trace} `.repeat(30),
  };
}

/** Sends traces in two parts each, the second of which repeats a span of the first. */
export async function sendTraces(serverUrl: string, count: number): Promise<void> {
  const halves = [
    [0, SPANS_PER_TRACE / 2],
    [SPANS_PER_TRACE / 2 - 1, SPANS_PER_TRACE],
  ] as const;
  for (let first = 0; first < count; first += TRACES_PER_REQUEST) {
    for (const [from, end] of halves) {
      const spans = Array.from({ length: TRACES_PER_REQUEST }, (_, trace) =>
        Array.from({ length: end - from }, (_, n) => sentSpan(first + trace, from + n)),
      ).flat();
      expect(await sendSpans(serverUrl, spans)).toBe(200);
    }
  }
}

/** So many traces as a server on this data directory, or with these flags, answers them. */
export async function answersOf(
  dataDirectory: string,
  count: number,
  flags: readonly string[] = [],
): Promise<string[]> {
  await using server = await startServer({ dataDirectory, flags });
  const answers: string[] = [];
  for (let trace = 0; trace < count; trace++) {
    const response = await fetch(`${server.url}/observability/traces/${traceIdOf(trace)}/`);
    expect(response.status).toBe(200);
    answers.push(await response.text());
  }
  return answers;
}

interface Run {
  readonly command?: "migrate-store" | "migrate-registry";
  /** Where the command runs, and the state of the migration is kept. */
  readonly folder: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Something that happens while it runs. */
  readonly meanwhile?: (kill: (signal: NodeJS.Signals) => void) => Promise<void>;
}

/** Runs `agate migrate-store`, or the other one, until it ends, however long that takes on a busy machine. */
export async function migrate(args: readonly string[], run: Run) {
  const { command = "migrate-store", folder, env = {}, meanwhile } = run;
  const child = spawn(process.execPath, [AGATE, command, ...args], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  const printed = Promise.all([text(child.stdout), text(child.stderr)]);
  await meanwhile?.((signal) => void child.kill(signal));
  const [code, signal] = await ended;
  const [stdout, stderr] = await printed;
  return { code, signal, stdout, stderr };
}
