import { ApiError } from "../../api/api-error.ts";
import { type CallEvent, type CallStep, traceEvent } from "./call-route.ts";
import { isUnderWay, type Run, type RunRequest, waitingRun } from "./run.ts";
import { RunQueue } from "./run-queue.ts";

/** Fast enough, and low enough for the rate limits of model providers. */
const CONCURRENT_RUNS = 4;

/** Throttles rendering: a model may stream a hundred chunks a second, a loop thousands. */
const RENDER_INTERVAL_MS = 32;

/** Calls a route; throws if the call fails. */
export type Call = (request: RunRequest, signal: AbortSignal) => AsyncIterable<CallEvent>;

/**
 * The last run of each column on each case. React reads it with `useSyncExternalStore`, cell by cell,
 * so that a stream redraws its own cell only.
 */
export class RunBoard {
  readonly #call: Call;
  readonly #queue = new RunQueue(CONCURRENT_RUNS);
  readonly #listeners = new Set<() => void>();
  /** Chunks since the last render: copying a long stream for each chunk would be quadratic. */
  readonly #chunks = new Map<string, unknown[]>();
  #runs: ReadonlyMap<string, Run> = new Map();
  #milestones: ReadonlyMap<string, Run> = this.#runs;
  #renderTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(call: Call) {
    this.#call = call;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The same map until something changes. */
  readonly runs = (): ReadonlyMap<string, Run> => this.#runs;

  /** As of the last start or end of a run: the same map while responses stream. */
  readonly milestones = (): ReadonlyMap<string, Run> => this.#milestones;

  /** Adds saved runs, except where a newer run exists. */
  restore(runs: ReadonlyMap<string, Run>): void {
    if (runs.size === 0) return;
    this.#flushChunks();
    this.#runs = new Map([...runs, ...this.#runs]);
    this.#milestones = this.#runs;
    this.#render();
  }

  start(key: string, request: RunRequest): void {
    this.#chunks.delete(key);
    this.#set(key, waitingRun(request));
    this.#render();
    this.#queue.add(key, (signal) => this.#run(key, signal));
  }

  /** Keeps the output so far. */
  stop(key: string): void {
    const startedAt = this.#runs.get(key)?.startedAt ?? null;
    if (!this.#queue.stop(key)) return;
    const elapsedMs = startedAt === null ? null : performance.now() - startedAt;
    this.#update(key, { status: "stopped", elapsedMs });
    this.#render();
  }

  stopAll(): void {
    for (const [key, run] of this.#runs) if (isUnderWay(run)) this.stop(key);
  }

  async #run(key: string, signal: AbortSignal): Promise<void> {
    const request = this.#runs.get(key)?.request;
    if (request === undefined) return;
    const startedAt = performance.now();
    const update = (change: Partial<Run>) => {
      // Stopped or restarted: late events of the aborted call must not change the new run.
      if (!signal.aborted) {
        this.#update(key, { ...change, elapsedMs: performance.now() - startedAt });
      }
    };
    update({ status: "running", startedAt });
    try {
      for await (const event of this.#call(request, signal)) {
        if (event.kind !== "chunk") update(changeBy(event));
        else if (!signal.aborted) this.#addChunk(key, event.chunk);
      }
      update({ status: "done" });
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      const trace = failure instanceof ApiError ? changeBy(traceEvent(failure.body)) : {};
      update({ ...trace, status: "failed", error: failure });
    }
  }

  #update(key: string, change: Partial<Run>): void {
    this.#flushChunks();
    const run = this.#runs.get(key);
    if (run !== undefined) this.#set(key, { ...run, ...change });
  }

  #set(key: string, run: Run): void {
    const before = this.#runs.get(key)?.status;
    this.#runs = new Map(this.#runs).set(key, run);
    if (before !== run.status) this.#milestones = this.#runs;
    this.#renderSoon();
  }

  #addChunk(key: string, chunk: unknown): void {
    const chunks = this.#chunks.get(key);
    if (chunks === undefined) this.#chunks.set(key, [chunk]);
    else chunks.push(chunk);
    this.#renderSoon();
  }

  #flushChunks(): void {
    if (this.#chunks.size === 0) return;
    const runs = new Map(this.#runs);
    for (const [key, chunks] of this.#chunks) {
      const run = runs.get(key);
      if (run === undefined) continue;
      const before = run.output?.kind === "stream" ? run.output.chunks : [];
      runs.set(key, { ...run, output: { kind: "stream", chunks: before.concat(chunks) } });
    }
    this.#chunks.clear();
    this.#runs = runs;
  }

  #renderSoon(): void {
    this.#renderTimer ??= setTimeout(() => this.#render(), RENDER_INTERVAL_MS);
  }

  #render(): void {
    clearTimeout(this.#renderTimer);
    this.#renderTimer = undefined;
    this.#flushChunks();
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

/** The key of a run on the board. */
export function runKey(column: number, testCase: number): string {
  return `${column}:${testCase}`;
}
