import { ApiError } from "../../api/api-error.ts";
import { type CallEvent, type CallStep, traceEvent } from "./call-route.ts";
import { isUnderWay, type Run, type RunRequest, waitingRun } from "./run.ts";
import { RunQueue } from "./run-queue.ts";

/** Enough to be quick, and few enough not to run into the rate limits of models. */
const AT_ONCE = 4;

/** How often what happens is drawn: a model may send a hundred pieces a second, a loop thousands. */
const DRAWN_EVERY_MS = 32;

/** Calls a route; throws why it failed. */
export type Call = (request: RunRequest, signal: AbortSignal) => AsyncIterable<CallEvent>;

/**
 * All calls of a route that were made on this page, the last one for each column and case. React
 * reads it with `useSyncExternalStore`, cell by cell: what streams into one draws no other.
 */
export class RunBoard {
  readonly #call: Call;
  readonly #queue = new RunQueue(AT_ONCE);
  readonly #listeners = new Set<() => void>();
  /** What has arrived of streams since they were last drawn: a copy for each piece would take for ever. */
  readonly #arrived = new Map<string, unknown[]>();
  #runs: ReadonlyMap<string, Run> = new Map();
  #milestones: ReadonlyMap<string, Run> = this.#runs;
  #drawing: ReturnType<typeof setTimeout> | undefined;

  constructor(call: Call) {
    this.#call = call;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The same map until something changes. */
  readonly runs = (): ReadonlyMap<string, Run> => this.#runs;

  /** As of the last time that a run began or ended: the same map while answers stream. */
  readonly milestones = (): ReadonlyMap<string, Run> => this.#milestones;

  /** Shows runs of before, where nothing was run since. */
  restore(runs: ReadonlyMap<string, Run>): void {
    if (runs.size === 0) return;
    this.#takeArrived();
    this.#runs = new Map([...runs, ...this.#runs]);
    this.#milestones = this.#runs;
    this.#draw();
  }

  start(key: string, request: RunRequest): void {
    this.#arrived.delete(key);
    this.#set(key, waitingRun(request));
    this.#draw();
    this.#queue.add(key, (signal) => this.#run(key, signal));
  }

  /** What has arrived stays. */
  stop(key: string): void {
    const startedAt = this.#runs.get(key)?.startedAt ?? null;
    if (!this.#queue.stop(key)) return;
    const elapsedMs = startedAt === null ? null : performance.now() - startedAt;
    this.#update(key, { status: "stopped", elapsedMs });
    this.#draw();
  }

  stopAll(): void {
    for (const [key, run] of this.#runs) if (isUnderWay(run)) this.stop(key);
  }

  async #run(key: string, signal: AbortSignal): Promise<void> {
    const request = this.#runs.get(key)?.request;
    if (request === undefined) return;
    const startedAt = performance.now();
    const update = (change: Partial<Run>) => {
      // Stopped, or run again: what still arrives belongs to nobody.
      if (!signal.aborted) {
        this.#update(key, { ...change, elapsedMs: performance.now() - startedAt });
      }
    };
    update({ status: "running", startedAt });
    try {
      for await (const event of this.#call(request, signal)) {
        if (event.kind !== "chunk") update(changeBy(event));
        else if (!signal.aborted) this.#arrive(key, event.chunk);
      }
      update({ status: "done" });
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      const trace = failure instanceof ApiError ? changeBy(traceEvent(failure.body)) : {};
      update({ ...trace, status: "failed", error: failure });
    }
  }

  #update(key: string, change: Partial<Run>): void {
    this.#takeArrived();
    const run = this.#runs.get(key);
    if (run !== undefined) this.#set(key, { ...run, ...change });
  }

  #set(key: string, run: Run): void {
    const before = this.#runs.get(key)?.status;
    this.#runs = new Map(this.#runs).set(key, run);
    if (before !== run.status) this.#milestones = this.#runs;
    this.#drawSoon();
  }

  #arrive(key: string, chunk: unknown): void {
    const arrived = this.#arrived.get(key);
    if (arrived === undefined) this.#arrived.set(key, [chunk]);
    else arrived.push(chunk);
    this.#drawSoon();
  }

  #takeArrived(): void {
    if (this.#arrived.size === 0) return;
    const runs = new Map(this.#runs);
    for (const [key, arrived] of this.#arrived) {
      const run = runs.get(key);
      if (run === undefined) continue;
      const before = run.output?.kind === "stream" ? run.output.chunks : [];
      runs.set(key, { ...run, output: { kind: "stream", chunks: before.concat(arrived) } });
    }
    this.#arrived.clear();
    this.#runs = runs;
  }

  #drawSoon(): void {
    this.#drawing ??= setTimeout(() => this.#draw(), DRAWN_EVERY_MS);
  }

  #draw(): void {
    clearTimeout(this.#drawing);
    this.#drawing = undefined;
    this.#takeArrived();
    for (const listener of this.#listeners) listener();
  }
}

function changeBy(event: CallStep): Partial<Run> {
  switch (event.kind) {
    case "begun":
      return { traceId: event.traceId };
    case "value":
      return { output: { kind: "value", value: event.value } };
    case "trace":
      return { trace: event.trace, ...(event.traceId !== null && { traceId: event.traceId }) };
  }
}

/** Where the run of a column on a case is kept. */
export function runKey(column: number, testCase: number): string {
  return `${column}:${testCase}`;
}
