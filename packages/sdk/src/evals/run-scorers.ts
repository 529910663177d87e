import type { SpanRecord } from "@agate/protocol";
import type { Evaluation } from "./evaluation.ts";
import { failedScore, type ScoreResult, toScoreResult } from "./scorer-result.ts";
import type { Judged } from "./scorer-types.ts";

/** How the scorers of an evaluation are run. */
export interface RunScorersOptions {
  /** Stops them; the promise is then rejected. */
  readonly signal?: AbortSignal | undefined;
  /** Configurations by `scorerName`, such as those of a pinned revision; else their defaults. */
  readonly configs?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
}

/**
 * Scores one output with all scorers of an evaluation, at the same time. A scorer that throws, takes
 * too long or returns something else than a score has a result that says so; the others are unaffected.
 *
 * @example
 * const { right } = await runScorers(tickets, judged);
 */
export async function runScorers(
  { scorers, scorerTimeout }: Evaluation,
  judged: Judged,
  { signal, configs = {} }: RunScorersOptions = {},
): Promise<Readonly<Record<string, ScoreResult>>> {
  const trace = once(() => judged.trace());
  const results = await Promise.all(
    Object.entries(scorers).map(async ([name, scorer]) => {
      const { scorerName } = scorer as { readonly scorerName?: string };
      const config =
        scorerName !== undefined && Object.hasOwn(configs, scorerName)
          ? configs[scorerName]
          : undefined;
      const run = (limited: AbortSignal) =>
        scorer(ownCopy(judged, trace), { signal: limited, ...(config && { config }) });
      return [name, await withinTime(run, scorerTimeout, signal)] as const;
    }),
  );
  return Object.fromEntries(results);
}

/** Scorers run at the same time: one that sorts a list in place must not change what others see. */
function ownCopy(judged: Judged, trace: () => Promise<SpanRecord>): Judged {
  const { inputs, output, expected, metadata } = judged;
  return { ...judged, ...structuredClone({ inputs, output, expected, metadata }), trace };
}

async function withinTime(
  run: (signal: AbortSignal) => unknown,
  timeout: number,
  outer: AbortSignal | undefined,
): Promise<ScoreResult> {
  outer?.throwIfAborted();
  const abort = new AbortController();
  const stop = () => abort.abort(outer?.reason);
  outer?.addEventListener("abort", stop, { once: true });
  const timer = setTimeout(() => {
    abort.abort(new DOMException(`The scorer took longer than ${timeout} ms.`, "TimeoutError"));
  }, timeout);
  try {
    return toScoreResult(await beforeAbort(abort.signal, async () => run(abort.signal)));
  } catch (thrown) {
    outer?.throwIfAborted();
    return failedScore(thrown);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener("abort", stop);
  }
}

/** Settles as the work does, or rejects at the abort: not every scorer observes its signal. */
function beforeAbort<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    work().then(resolve, reject);
  });
}

function once<T>(get: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= get());
}
