import { setImmediate as nextTurn } from "node:timers/promises";
import { MOST_RUN_BATCH } from "@agate/protocol";
import type { CostStop } from "../registry/runs/cost-stop.ts";
import type { ExchangedItems, RunRef } from "../registry/runs/run-registry.ts";
import { RegistryUnavailableError } from "../stores/store-errors.ts";
import { type ResultsPlace, resultsToAdd } from "./record-results.ts";
import { resultBody } from "./report-bodies.ts";
import type { ColumnRole, ItemResult, RunItem } from "./run-item.ts";
import type { ScoreWriter } from "./score-writer.ts";

/** How long an item is not given to another server, unless its lease is renewed. */
export const LEASE_MS = 30_000;
/** How often a server without items asks again, where others have them all. */
const IDLE_MS = 1_000;
/** How often results are offered again to a registry that is away. */
const RETRY_MS = 1_000;

/** Why there are no more items. */
export type ItemsEnd =
  /** All of them have results. */
  | { readonly kind: "complete" }
  /** The ceiling stops it, and no call is running any more. */
  | { readonly kind: "ceiling"; readonly stop: CostStop }
  /** The run was ended meanwhile, or deleted. */
  | { readonly kind: "ended" };

export interface RunExchangeOptions extends Pick<ResultsPlace, "registry" | "redactionOf"> {
  readonly ref: RunRef;
  /** The token of this server's leases. */
  readonly worker: string;
  /** Calls at the same time, on all servers. */
  readonly concurrency: number;
  /** Takes the scores of results to their traces. */
  readonly scores: Pick<ScoreWriter, "write" | "close">;
  /** The run was ended meanwhile: results are refused. */
  readonly onEnded: () => void;
  readonly signal: AbortSignal;
  /** Resolves after so many milliseconds; earlier where the signal is aborted. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

interface Exchanged {
  readonly items: readonly RunItem[];
  readonly kept: ExchangedItems["kept"];
}

/**
 * The items of a run, and the way back of their results. One transaction of the registry adds the results
 * that have come and leases items for all that wait; the registry counts the leases of all servers.
 */
export class RunExchange implements AsyncIterator<RunItem> {
  readonly #options: RunExchangeOptions;
  readonly #waiting: PromiseWithResolvers<IteratorResult<RunItem>>[] = [];
  readonly #results: ItemResult[] = [];
  #running: Promise<void> | undefined;
  #isReturned = false;
  /** The registry was away: what the last exchange has leased, if it was carried out, is not known. */
  #isCutOff = false;
  /** Ends the wait of a server without items; undefined where it does not wait. */
  #wake: AbortController | undefined;
  #end: ItemsEnd | undefined;
  #failure: { readonly thrown: unknown } | undefined;

  constructor(options: RunExchangeOptions) {
    this.#options = options;
  }

  /** Undefined while there may be more, and where it was aborted. */
  get end(): ItemsEnd | undefined {
    return this.#end;
  }

  next(): Promise<IteratorResult<RunItem>> {
    const waiting = Promise.withResolvers<IteratorResult<RunItem>>();
    this.#waiting.push(waiting);
    this.#start();
    return waiting.promise;
  }

  /** Ends the wait of all that ask for items: a worker has failed. */
  async return(): Promise<IteratorResult<RunItem>> {
    this.#isReturned = true;
    this.#wake?.abort();
    return { done: true, value: undefined };
  }

  /** Takes a result. The run has it when the next item is given, or {@link close} resolves. */
  add(result: ItemResult): void {
    this.#results.push(result);
    this.#wake?.abort();
    this.#start();
  }

  /**
   * Resolves when the run has all results, and their traces the scores. To be called when there are no more.
   *
   * @throws Error where the registry or the store failed.
   */
  async close(): Promise<void> {
    await this.#running;
    await this.#options.scores.close();
    if (this.#failure !== undefined) throw this.#failure.thrown;
  }

  #start(): void {
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    try {
      // What else comes in the same turn of the event loop is part of the same transaction.
      for (await nextTurn(); this.#hasWork; await nextTurn()) {
        const results = this.#results.splice(0, MOST_RUN_BATCH);
        const count = this.#isOver ? 0 : this.#waiting.length;
        const { items, kept } = await this.#exchangePatiently(results, count);
        for (const value of items) this.#waiting.shift()?.resolve({ done: false, value });
        await this.#options.scores.write(kept);
        if (items.length === count || this.#results.length > 0 || this.#isOver) continue;
        this.#wake = new AbortController();
        const either = AbortSignal.any([this.#options.signal, this.#wake.signal]);
        await this.#options.wait(IDLE_MS, either);
        this.#wake = undefined;
      }
    } catch (thrown) {
      this.#failure = { thrown };
    }
    // In the same turn as the last look at those that wait: none is forgotten.
    this.#running = undefined;
    for (const { resolve, reject } of this.#isOver ? this.#waiting.splice(0) : []) {
      if (this.#failure === undefined) resolve({ done: true, value: undefined });
      else reject(this.#failure.thrown);
    }
  }

  /** Results are added although nothing more is to be called. */
  get #hasWork(): boolean {
    if (this.#failure !== undefined || this.#end?.kind === "ended") return false;
    return this.#results.length > 0 || (this.#waiting.length > 0 && !this.#isOver);
  }

  get #isOver(): boolean {
    const isEnded = this.#end !== undefined || this.#failure !== undefined;
    return isEnded || this.#isReturned || this.#isCutOff || this.#options.signal.aborted;
  }

  /**
   * Exchanges, and offers the results again while the registry is away, until their leases have lapsed: calls
   * are not to be made again for its sake. Nothing more is leased after that. What an exchange of unknown
   * outcome has leased is given back with all leases, where this server's part ends.
   */
  async #exchangePatiently(results: readonly ItemResult[], count: number): Promise<Exchanged> {
    const { signal, wait } = this.#options;
    for (let waited = 0; ; waited += RETRY_MS) {
      try {
        return await this.#exchange(results, this.#isCutOff ? 0 : count);
      } catch (error) {
        const isAway = error instanceof RegistryUnavailableError;
        if (!isAway || waited >= LEASE_MS || signal.aborted) throw error;
        this.#isCutOff = true;
        await wait(RETRY_MS, signal);
      }
    }
  }

  async #exchange(results: readonly ItemResult[], count: number): Promise<Exchanged> {
    const { ref, worker, concurrency, registry } = this.#options;
    const outcome = await registry.runs.exchange(ref, {
      results: resultsToAdd(this.#options, ref, results.map(resultBody)),
      lease: { count, ms: LEASE_MS, worker: { id: worker, most: concurrency } },
    });
    if (outcome.kind === "refused") {
      const { type, msg } = outcome.problems[0];
      if (type !== "run_ended" && type !== "run_not_found") throw new Error(msg);
      this.#end = { kind: "ended" };
      this.#options.onEnded();
      return { items: [], kept: [] };
    }
    const { kept, lease } = outcome.value;
    const { items, run, leased: running, stop } = lease;
    if (run.results === run.items) this.#end = { kind: "complete" };
    else if (stop !== undefined && running === 0) this.#end = { kind: "ceiling", stop };
    return { items: items.map(toRunItem), kept };
  }
}

function toRunItem({
  column,
  case: id,
  trial,
  content,
}: ExchangedItems["lease"]["items"][number]): RunItem {
  // A case that was purged meanwhile has no inputs, which its route refuses.
  return { column: column as ColumnRole, case: { id, inputs: null, ...content }, trial };
}
