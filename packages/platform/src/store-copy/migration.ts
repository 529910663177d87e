import type { SpanPart, SpanStore } from "../stores/span-store.ts";
import { StoreRefusalError, StoreUnavailableError } from "../stores/store-errors.ts";
import type { ProjectComparison, StoreCounts, TreeComparison } from "./compare-stores.ts";
import {
  compareCounts,
  compareTrees,
  countsOf,
  hasMore,
  lacks,
  lacksScores,
  lacksSpans,
  missingTraces,
  spansIn,
} from "./compare-stores.ts";
import { copyScores } from "./copy-scores.ts";
import { copySpans } from "./copy-spans.ts";
import type { MigrationState, ScoreProgress } from "./migration-state.ts";
import { saveState } from "./migration-state.ts";
import type { RetryOptions } from "./retry-while-unavailable.ts";
import { retryWhileUnavailable } from "./retry-while-unavailable.ts";
import type { TraceName } from "./trace-sample.ts";
import { TraceSample } from "./trace-sample.ts";

/** How much work is repeated after a killed process. */
const SAVED_EVERY_MS = 1_000;
/** How long a database may be unavailable: a restart or a failover takes seconds. */
const LONGEST_OUTAGE_MS = 60_000;
/**
 * A server may commit a batch this long after it arrived, when a copy in the order of arrival has already
 * passed that time.
 */
const SETTLING_US = 120_000_000;

export interface MigrationOptions {
  /** The progress file. */
  readonly stateFile: string;
  /** How many traces are compared at the end. */
  readonly sampleSize: number;
  /** Interrupts the migration. */
  readonly signal: AbortSignal;
}

/** Callbacks for progress. */
export interface MigrationObserver {
  /** The number of copied spans, earlier runs included, and the number of all spans. */
  copied(spans: number, total: number): void;
  /** A database is unavailable; retrying. */
  waiting(reason: string): void;
  compared(traces: number, total: number): void;
}

export type MigrationResult =
  /** Interrupted by its signal. Another run continues. */
  | { readonly kind: "interrupted" }
  | {
      readonly kind: "finished";
      /** How many spans this run has copied. */
      readonly copied: number;
      readonly copiedScores: number;
      readonly counts: readonly ProjectComparison[];
      /** The projects of `counts` of which the target has less. */
      readonly lacking: readonly ProjectComparison[];
      /** The projects of `counts` of which the target has all, and more. */
      readonly exceeding: readonly ProjectComparison[];
      /** Traces that the target lacks, or has with fewer spans. */
      readonly missing: readonly TraceName[];
      readonly trees: TreeComparison;
    };

const INTERRUPTED: MigrationResult = { kind: "interrupted" };

/** One run: copies, copies again what may have been missed, and compares. */
export class Migration {
  readonly #from: SpanStore;
  readonly #to: SpanStore;
  readonly #options: MigrationOptions;
  readonly #observer: MigrationObserver;
  readonly #retry: { readonly from: RetryOptions; readonly to: RetryOptions };
  readonly #sample: TraceSample;
  #state: MigrationState;
  #total = 0;
  #copied = 0;
  #copiedScores = 0;
  #savedAt = 0;

  constructor(
    stores: { readonly from: SpanStore; readonly to: SpanStore },
    state: MigrationState,
    options: MigrationOptions,
    observer: MigrationObserver,
  ) {
    this.#from = stores.from;
    this.#to = stores.to;
    this.#options = options;
    this.#observer = observer;
    const { signal } = options;
    const retry = {
      longestMs: LONGEST_OUTAGE_MS,
      signal,
      onWaiting: (reason: string) => observer.waiting(reason),
    };
    this.#retry = {
      from: { name: state.from, ...retry },
      to: { name: state.to, ...retry },
    };
    const known = state.sample.map(([project, traceId]) => ({ project, traceId }));
    this.#sample = new TraceSample(options.sampleSize, state.seed, known);
    this.#state = state;
  }

  async run(): Promise<MigrationResult> {
    await this.#saveFirst();
    this.#total = spansIn((await this.#countFrom()).spans);
    this.#tell();
    if ((await this.#copyAfter(this.#state.position)) === "interrupted") return INTERRUPTED;
    const wasInterrupted = this.#state.scores.pass !== null;
    if ((await this.#copyScores()) === "interrupted") return INTERRUPTED;
    // Scores that were copied before the interruption may have changed since.
    if (wasInterrupted && (await this.#copyScores()) === "interrupted") return INTERRUPTED;
    let counts = await this.#compareCounts();
    const { position, settled } = this.#state;
    if (counts.some(lacksSpans) && settled !== position) {
      if ((await this.#copyAfter(settled)) === "interrupted") return INTERRUPTED;
      counts = await this.#compareCounts();
    }
    if (counts.some(lacksScores) && this.#state.scores.receivedFrom > 0) {
      // Scores can have older arrivals than their place tells: those of another migration, for one.
      this.#state = { ...this.#state, scores: { ...this.#state.scores, receivedFrom: 0 } };
      if ((await this.#copyScores()) === "interrupted") return INTERRUPTED;
      counts = await this.#compareCounts();
    }
    const missing = await missingTraces({
      from: this.#from,
      to: this.#to,
      retry: this.#retry,
      signal: this.#options.signal,
      // Also of what earlier runs have copied, which may have sampled fewer.
      onTrace: (trace) => this.#sample.offer(trace),
    });
    const traces = this.#sample.traces;
    const trees = await compareTrees({
      from: this.#from,
      to: this.#to,
      traces,
      retry: this.#retry,
      signal: this.#options.signal,
      onCompared: (count) => this.#observer.compared(count, traces.length),
    });
    return {
      kind: "finished",
      copied: this.#copied,
      copiedScores: this.#copiedScores,
      counts,
      lacking: counts.filter(lacks),
      exceeding: counts.filter(hasMore),
      missing,
      trees,
    };
  }

  async #copyAfter(after: string | null): Promise<"finished" | "interrupted"> {
    try {
      return await copySpans({
        from: this.#from,
        to: this.#to,
        after,
        retry: this.#retry,
        signal: this.#options.signal,
        onCommitted: (part) => this.#advance(part),
      });
    } finally {
      await this.#save();
    }
  }

  /** One pass over all scores, or the rest of one that was interrupted. */
  async #copyScores(): Promise<"finished" | "interrupted"> {
    const { receivedFrom, pass } = this.#state.scores;
    const { begun, position } = pass ?? { begun: Date.now() * 1000, position: null };
    this.#noteScores({ pass: { begun, position } });
    try {
      const outcome = await copyScores({
        from: this.#from,
        to: this.#to,
        after: position,
        receivedFrom,
        retry: this.#retry,
        signal: this.#options.signal,
        onCommitted: async (reached, written) => {
          this.#copiedScores += written;
          const copied = this.#state.scores.copied + written;
          this.#noteScores({ copied, pass: { begun, position: reached } });
          if (performance.now() - this.#savedAt > SAVED_EVERY_MS) await this.#save();
        },
      });
      if (outcome === "finished") {
        this.#noteScores({ receivedFrom: Math.max(0, begun - SETTLING_US), pass: null });
      }
      return outcome;
    } finally {
      await this.#save();
    }
  }

  #noteScores(progress: Partial<ScoreProgress>): void {
    this.#state = { ...this.#state, scores: { ...this.#state.scores, ...progress } };
  }

  async #advance({ project, receivedAt, spans, position }: SpanPart): Promise<void> {
    let last: string | undefined;
    for (const { traceId } of spans) {
      if (traceId !== last) this.#sample.offer({ project, traceId });
      last = traceId;
    }
    const isSettled = receivedAt < Date.now() * 1000 - SETTLING_US;
    this.#copied += spans.length;
    this.#state = {
      ...this.#state,
      position,
      settled: isSettled ? position : this.#state.settled,
      spans: this.#state.spans + spans.length,
    };
    this.#tell();
    if (performance.now() - this.#savedAt > SAVED_EVERY_MS) await this.#save();
  }

  /** Checks that the progress file is writable before anything is copied. */
  async #saveFirst(): Promise<void> {
    try {
      await this.#save();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      throw new StoreRefusalError(`${error.reason} Name another progress file with --state.`);
    }
  }

  async #save(): Promise<void> {
    const { stateFile } = this.#options;
    const sample = this.#sample.traces.map(({ project, traceId }) => [project, traceId] as const);
    try {
      await saveState(stateFile, { ...this.#state, sample });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      throw new StoreUnavailableError(`${stateFile} cannot be written (${code}).`, {
        cause: error,
      });
    }
    this.#savedAt = performance.now();
  }

  #tell(): void {
    this.#observer.copied(Math.min(this.#state.spans, this.#total), this.#total);
  }

  async #compareCounts(): Promise<ProjectComparison[]> {
    const to = await retryWhileUnavailable(this.#retry.to, () => countsOf(this.#to));
    return compareCounts(await this.#countFrom(), to);
  }

  #countFrom(): Promise<StoreCounts> {
    return retryWhileUnavailable(this.#retry.from, () => countsOf(this.#from));
  }
}
