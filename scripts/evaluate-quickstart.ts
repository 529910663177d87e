import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";

export interface QuickstartEvaluation {
  readonly platformUrl: string;
  readonly application: string;
  /** Of the example. */
  readonly folder: string;
  /** Aborted when the platform has ended: then there is nowhere to report to. */
  readonly signal: AbortSignal;
}

const AGATE = join(import.meta.dirname, "../packages/cli/dist/agate.js");

/**
 * Evaluates the quickstart and reports the run to the platform, so that its page has a run to show.
 * A platform that has a run of it already is left as it is.
 *
 * @throws Error that says why there is no run.
 */
export async function evaluateQuickstart(evaluation: QuickstartEvaluation): Promise<void> {
  const { platformUrl, application, folder, signal } = evaluation;
  if (await hasRun(platformUrl, application)) return;
  // What is tried out in development, compared with what is live in production.
  const columns = ["--candidate", "experimental", "--baseline", "concise"];
  const args = [AGATE, "--url", platformUrl, "eval", "--app", application, ...columns];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
    signal,
    killSignal: "SIGKILL",
  });
  // Ended by the signal, which is no fault.
  child.on("error", () => {});
  const [notes] = await Promise.all([text(child.stderr), once(child, "exit")]);
  // 1 and 3 are verdicts too: the run is there.
  const hasVerdict = child.exitCode !== null && [0, 1, 3].includes(child.exitCode);
  if (hasVerdict || signal.aborted) return;
  const reason = notes.split("\n").find((line) => line.startsWith("agate: "));
  throw new Error(reason?.slice("agate: ".length) ?? `agate eval ended with ${child.exitCode}.`);
}

async function hasRun(platformUrl: string, application: string): Promise<boolean> {
  const key = process.env.AGATE_API_KEY;
  const url = `${platformUrl}/registry/runs?application=${application}&limit=1`;
  const response = await fetch(url, {
    headers: { ...(key && { authorization: `Bearer ${key}` }) },
  });
  const { items } = (await response.json()) as { readonly items?: readonly unknown[] };
  if (items === undefined) throw new Error(`The platform answered ${response.status}.`);
  return items.length > 0;
}
