import type { EvaluationScore } from "@agate/protocol/evaluator";
import type { CostStop } from "../registry/runs/cost-stop.ts";
import { AdaptiveLimit } from "./adaptive-limit.ts";
import type { CostCeiling } from "./cost-ceiling.ts";
import { type Overloaded, type RepeatOptions, repeatOverloaded } from "./repeat-overloaded.ts";
import type { ItemResult, RunItem } from "./run-item.ts";

/** One attempt to call the route. */
export interface CallAttempt {
  readonly output?: unknown;
  readonly error: string | null;
  readonly stack?: string | undefined;
  readonly trace_id: string | null;
  readonly span_id: string | null;
  readonly latency: number | null;
  readonly cost: number | null;
  /** Set where a busy model made it fail. */
  readonly overload?: Overloaded | undefined;
}

/** One attempt to score an output. */
export interface ScoreAttempt {
  readonly scores: Readonly<Record<string, EvaluationScore>>;
  readonly cost: number | null;
}

/** What makes calls and scores: an evaluator process, an application elsewhere, or stored outputs. */
export interface ItemPerformer {
  call(item: RunItem): Promise<CallAttempt>;
  /** @param scorers The names of those to run; all where undefined. */
  score(
    item: RunItem,
    call: CallAttempt,
    scorers: readonly string[] | undefined,
  ): Promise<ScoreAttempt>;
}

export interface RunItemsOptions {
  readonly performer: ItemPerformer;
  readonly concurrency: number;
  /** The names of all scorers: those of a failed call are failed. */
  readonly scorers: readonly string[];
  readonly ceiling: CostCeiling;
  /** Takes each result as it comes. What it rejects with ends the run. */
  readonly onResult: (result: ItemResult) => void | Promise<void>;
  /** Aborted to stop the run: what is running ends, nothing new begins. */
  readonly signal: AbortSignal;
  readonly random: () => number;
  readonly wait: RepeatOptions["wait"];
}

/** How a run ended. */
export type RunEnd = "finished" | "interrupted" | { readonly stopped: CostStop };

/**
 * Runs items with bounded concurrency. Only what a busy model refused is repeated. Holds no more of
 * the results than those of the items that are running.
 */
export async function runItems(
  items: Iterator<RunItem> | AsyncIterator<RunItem>,
  options: RunItemsOptions,
): Promise<RunEnd> {
  const { concurrency, ceiling, signal, onResult } = options;
  const limit = new AdaptiveLimit(concurrency);
  const failed = new AbortController();
  const work = async (): Promise<void> => {
    while (!signal.aborted && !failed.signal.aborted && ceiling.stop === undefined) {
      const { done, value: item } = await items.next();
      if (done) return;
      const result = await runItem(item, limit, options);
      if (result === "stopped") return;
      ceiling.add(result.cost);
      ceiling.add(result.judge_cost);
      await onResult(result);
    }
  };
  // The other workers end with their items: a caller must not close what they use before.
  const workers = Array.from({ length: concurrency }, () =>
    work().catch(async (error: unknown) => {
      failed.abort();
      // Workers may be waiting for items that only the failed one would have made room for.
      await items.return?.();
      throw error;
    }),
  );
  const ends = await Promise.allSettled(workers);
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  if (ceiling.stop !== undefined) return { stopped: ceiling.stop };
  return signal.aborted ? "interrupted" : "finished";
}

async function runItem(
  item: RunItem,
  limit: AdaptiveLimit,
  { performer, scorers, signal, random, wait }: RunItemsOptions,
): Promise<ItemResult | "stopped"> {
  const repeat = { limit, signal, random, wait };
  let cost: number | null = 0;
  const call = await repeatOverloaded(
    async () => {
      const made = await performer.call(item);
      cost = sum(cost, made.cost);
      return made;
    },
    ({ overload }) => overload,
    repeat,
  );
  if (call === "stopped") return "stopped";
  const { overload: _, ...kept } = call;
  const result = { column: item.column, case: item.case.id, trial: item.trial, ...kept, cost };
  if (call.error !== null) {
    const error = `The call failed: ${call.error}`;
    const scores = Object.fromEntries(
      scorers.map((name) => [name, { status: "failed", error } as const]),
    );
    return { ...result, judge_cost: 0, scores };
  }
  const scored = await scoreItem(item, call, performer, repeat);
  return scored === "stopped" ? "stopped" : { ...result, ...scored };
}

/** Scorers whose model was busy are asked again, and only they. */
async function scoreItem(
  item: RunItem,
  call: CallAttempt,
  performer: ItemPerformer,
  repeat: RepeatOptions,
): Promise<Pick<ItemResult, "judge_cost" | "scores"> | "stopped"> {
  let scores: Readonly<Record<string, EvaluationScore>> = {};
  let cost: number | null = 0;
  let open: readonly string[] | undefined;
  const ended = await repeatOverloaded(
    async () => {
      const made = await performer.score(item, call, open);
      cost = sum(cost, made.cost);
      scores = { ...scores, ...made.scores };
      open = Object.keys(scores).filter((name) => isOverloaded(scores[name]));
      return open;
    },
    (names) => (names.length > 0 ? {} : undefined),
    repeat,
  );
  return ended === "stopped" ? "stopped" : { judge_cost: cost, scores };
}

function isOverloaded(score: EvaluationScore | undefined): boolean {
  return score?.status === "failed" && score.overload !== undefined;
}

function sum(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one + other;
}
