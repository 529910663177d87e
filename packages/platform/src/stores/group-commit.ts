import type { AppendOutcome } from "./span-store.ts";
import { StoreUnavailableError } from "./store-errors.ts";

/** A batch that waits for its commit. */
export interface QueuedBatch {
  readonly spanCount: number;
  /** Characters of its records. */
  readonly characters: number;
  /** The traces that it writes to; may be empty where only one group is written at a time. */
  readonly traces: Iterable<string>;
}

export interface GroupCommitOptions<Batch> {
  /** Groups that are written at a time: while one waits for the disk, the next is prepared. */
  readonly concurrency: number;
  /**
   * A further group is begun beside one under way when this many spans wait; any number by default. What a commit
   * costs however small it is should be shared by many spans.
   */
  readonly furtherFromSpans?: number;
  /**
   * Commits a group, and resolves with the outcome of each batch. A {@link StoreUnavailableError} makes
   * every batch `unavailable`; after any other error each batch is written alone.
   */
  write(group: readonly Batch[]): Promise<readonly AppendOutcome[]>;
}

/** What a group takes, unless a single batch is larger: more would delay its first batch and fill memory. */
const GROUP_SPANS = 20_000;
const GROUP_CHARACTERS = 16 * 1024 * 1024;

interface Pending<Batch> {
  readonly batch: Batch;
  readonly answer: PromiseWithResolvers<AppendOutcome>;
}

interface NextGroup<Batch> {
  readonly group: readonly Pending<Batch>[];
  readonly spans: number;
  /** What is left to wait. */
  readonly rest: Pending<Batch>[];
}

/** Group commit: batches that arrive while others are being written share the next commit. */
export class GroupCommit<Batch extends QueuedBatch> {
  readonly #concurrency: number;
  readonly #furtherFromSpans: number;
  readonly #write: GroupCommitOptions<Batch>["write"];
  #pending: Pending<Batch>[] = [];
  /** Traces that a group under way writes to. */
  readonly #busy = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
  #isScheduled = false;

  constructor({ concurrency, furtherFromSpans = 0, write }: GroupCommitOptions<Batch>) {
    this.#concurrency = concurrency;
    this.#furtherFromSpans = furtherFromSpans;
    this.#write = write;
  }

  append(batch: Batch): Promise<AppendOutcome> {
    const answer = Promise.withResolvers<AppendOutcome>();
    this.#pending.push({ batch, answer });
    this.#schedule();
    return answer.promise;
  }

  /** Resolves when every batch that was appended is answered. */
  async idle(): Promise<void> {
    while (this.#pending.length > 0 || this.#underWay.size > 0) {
      await Promise.all(this.#underWay);
      await Promise.resolve();
    }
  }

  /** In a microtask: batches that are appended in the same turn share a group. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#startGroups();
    });
  }

  #startGroups(): void {
    while (this.#underWay.size < this.#concurrency) {
      const { group, spans, rest } = this.#nextGroup();
      if (group.length === 0) return;
      if (this.#underWay.size > 0 && spans < this.#furtherFromSpans) return;
      this.#pending = rest;
      const traces = group.flatMap(({ batch }) => [...batch.traces]);
      for (const trace of traces) this.#busy.add(trace);
      const work = this.#commit(group).finally(() => {
        for (const trace of traces) this.#busy.delete(trace);
        this.#underWay.delete(work);
        this.#startGroups();
      });
      this.#underWay.add(work);
    }
  }

  /** Only one group at a time writes to a trace: of two writes to it, the later one must be stored last. */
  #nextGroup(): NextGroup<Batch> {
    let spans = 0;
    let characters = 0;
    const group: Pending<Batch>[] = [];
    const rest: Pending<Batch>[] = [];
    const blocked = new Set(this.#busy);
    for (const [n, pending] of this.#pending.entries()) {
      const { batch } = pending;
      const traces = [...batch.traces];
      if (traces.some((trace) => blocked.has(trace))) {
        for (const trace of traces) blocked.add(trace);
        rest.push(pending);
        continue;
      }
      const isFull =
        spans + batch.spanCount > GROUP_SPANS || characters + batch.characters > GROUP_CHARACTERS;
      if (group.length > 0 && isFull) {
        for (const later of this.#pending.slice(n)) rest.push(later);
        break;
      }
      spans += batch.spanCount;
      characters += batch.characters;
      group.push(pending);
    }
    return { group, spans, rest };
  }

  async #commit(group: readonly Pending<Batch>[]): Promise<void> {
    try {
      const outcomes = await this.#write(group.map(({ batch }) => batch));
      for (const [n, { answer }] of group.entries()) answer.resolve(outcomes[n] as AppendOutcome);
    } catch (error) {
      if (error instanceof StoreUnavailableError) {
        const { reason } = error;
        for (const { answer } of group) answer.resolve({ kind: "unavailable", reason });
      } else if (group.length === 1) {
        for (const { answer } of group) answer.reject(error);
      } else {
        // An invalid batch must not fail the others of its group.
        for (const one of group) await this.#commit([one]);
      }
    }
  }
}
