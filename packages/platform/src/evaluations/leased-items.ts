import type { CostStop } from "../registry/runs/cost-stop.ts";
import type { RunRef, Runs } from "../registry/runs/run-registry.ts";
import type { ColumnRole, RunItem } from "./run-item.ts";

/** How long an item is not given to another server, unless its lease is renewed. */
export const LEASE_MS = 30_000;
/** How often a server without items asks again, where others have them all. */
const IDLE_MS = 1_000;

/** Why there are no more items. */
export type ItemsEnd =
  /** All of them have results. */
  | { readonly kind: "complete" }
  /** The ceiling stops it, and no call is running any more. */
  | { readonly kind: "ceiling"; readonly stop: CostStop }
  /** The run was ended meanwhile, or deleted. */
  | { readonly kind: "ended" };

export interface LeasedItemsOptions {
  readonly runs: Pick<Runs, "lease" | "contents">;
  readonly ref: RunRef;
  /** The token of this server's leases. */
  readonly worker: string;
  /** Calls at the same time, on all servers. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
  /** Resolves after so many milliseconds; earlier where the signal is aborted. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/**
 * The items of a run, leased in the registry as they are asked for. One request leases for all that wait,
 * and the registry counts the leases of all servers.
 */
export class LeasedItems implements AsyncIterator<RunItem> {
  readonly #options: LeasedItemsOptions;
  readonly #waiting: PromiseWithResolvers<IteratorResult<RunItem>>[] = [];
  #isFilling = false;
  #isReturned = false;
  #wake = new AbortController();
  #end: ItemsEnd | undefined;
  #failure: { readonly thrown: unknown } | undefined;

  constructor(options: LeasedItemsOptions) {
    this.#options = options;
  }

  /** Undefined while there may be more, and where it was aborted. */
  get end(): ItemsEnd | undefined {
    return this.#end;
  }

  next(): Promise<IteratorResult<RunItem>> {
    const waiting = Promise.withResolvers<IteratorResult<RunItem>>();
    this.#waiting.push(waiting);
    if (!this.#isFilling) void this.#fill();
    return waiting.promise;
  }

  /** Ends the wait of all that ask for items: a worker has failed. */
  async return(): Promise<IteratorResult<RunItem>> {
    this.#isReturned = true;
    this.wake();
    return { done: true, value: undefined };
  }

  /** To be called when results were added: there is room for more leases, or all is done. */
  wake(): void {
    this.#wake.abort();
  }

  async #fill(): Promise<void> {
    this.#isFilling = true;
    try {
      while (this.#waiting.length > 0 && !this.#isOver) {
        this.#wake = new AbortController();
        const items = await this.#lease(this.#waiting.length);
        for (const value of items) this.#waiting.shift()?.resolve({ done: false, value });
        if (items.length > 0 || this.#isOver) continue;
        const either = AbortSignal.any([this.#options.signal, this.#wake.signal]);
        await this.#options.wait(IDLE_MS, either);
      }
    } catch (thrown) {
      this.#failure = { thrown };
    }
    // In the same turn as the last look at those that wait: none is forgotten.
    this.#isFilling = false;
    for (const { resolve, reject } of this.#isOver ? this.#waiting.splice(0) : []) {
      if (this.#failure === undefined) resolve({ done: true, value: undefined });
      else reject(this.#failure.thrown);
    }
  }

  get #isOver(): boolean {
    const isEnded = this.#end !== undefined || this.#failure !== undefined;
    return isEnded || this.#isReturned || this.#options.signal.aborted;
  }

  async #lease(count: number): Promise<readonly RunItem[]> {
    const { runs, ref, worker, concurrency } = this.#options;
    const held = { id: worker, most: concurrency };
    const leased = await runs.lease(ref, { count, ms: LEASE_MS, worker: held });
    if (leased.kind === "refused") {
      this.#end = { kind: "ended" };
      return [];
    }
    const { items, run, leased: running, stop } = leased.value;
    if (items.length > 0) return this.#withContents(items);
    if (run.results === run.items) this.#end = { kind: "complete" };
    else if (stop !== undefined && running === 0) this.#end = { kind: "ceiling", stop };
    return [];
  }

  async #withContents(
    items: readonly { readonly column: string; readonly case: string; readonly trial: number }[],
  ): Promise<readonly RunItem[]> {
    const { runs, ref } = this.#options;
    const contents = await runs.contents(ref, [...new Set(items.map((item) => item.case))]);
    return items.map(({ column, case: id, trial }) => ({
      column: column as ColumnRole,
      // A case that was purged meanwhile has no inputs, which its route refuses.
      case: { id, inputs: null, ...contents.get(id) },
      trial,
    }));
  }
}
