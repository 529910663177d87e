import { ROOT_CONTEXT } from "@opentelemetry/api";
import { suppressTracing } from "@opentelemetry/core";
import { outsideContext } from "../context/context-slot.ts";
import { atExit } from "../runtime/at-exit.ts";
import { beforeExit } from "../runtime/before-exit.ts";
import { unheldTimer } from "../runtime/unheld-timer.ts";
import type { EndedSpan } from "./ended-span.ts";
import type { ExportLimits } from "./export-limits.ts";
import { ExportReport } from "./export-report.ts";
import type { Faults } from "./faults.ts";
import { runInContext } from "./run-in-context.ts";
import { type SendOutcome, type SendTarget, type SettledOutcome, sendSpans } from "./send-spans.ts";
import { type Batch, SpanQueue } from "./span-queue.ts";
import type { SpanReader } from "./span-reader.ts";
import type { ExportStatistics } from "./telemetry.ts";

/** Requests at a time. */
const LANES = 2;
/** A pause that the platform asks for is kept, within reason. */
const LONGEST_PAUSE_MS = 10 * 60_000;
const TOO_LARGE: SendOutcome = { kind: "too-large" };

export interface ExporterParts {
  readonly target: SendTarget;
  readonly limits: ExportLimits;
  readonly reader: SpanReader;
  readonly faults: Faults;
  readonly warn: (sentence: string) => void;
}

interface Waiter {
  /** The order of the last span that is waited for. */
  readonly upTo: number;
  /** True to go on waiting when an attempt has failed. */
  readonly patient: boolean;
  readonly resolve: () => void;
}

/**
 * Sends spans to the platform in batches, apart from the code that makes them. What the platform
 * cannot take now waits; only when the queue is full are spans lost, and counted.
 */
export class SpanExporter {
  readonly #parts: ExporterParts;
  readonly #queue: SpanQueue;
  readonly #report: ExportReport;
  readonly #waiters = new Set<Waiter>();
  #timer: { readonly at: number; readonly cancel: () => void } | undefined;
  #forgetTheEnd: (() => void) | undefined;
  /** One for each request that is running. */
  readonly #requests = new Set<AbortController>();
  #sending = 0;
  /** Spans up to this one go without waiting for a full batch. */
  #dueUpTo = 0;
  /** Attempts that failed, one after the other. */
  #failures = 0;
  /** No attempt before then, by `performance.now()`. */
  #retryAt = 0;
  /** Likewise, by the platform's own wish: a flush respects it. */
  #askedUntil = 0;
  #isStopped = false;

  constructor(parts: ExporterParts) {
    this.#parts = parts;
    this.#queue = new SpanQueue(parts.limits);
    this.#report = new ExportReport(parts.target.url, parts.warn);
  }

  statistics(): Omit<ExportStatistics, "faults"> {
    return { ...this.#report.statistics(), queued: this.#queue.size };
  }

  /** Takes a span. Does next to nothing: the work is done later. */
  add(ended: EndedSpan): void {
    if (this.#isStopped) this.#report.lost(1, "telemetry was shut down before they ended");
    else if (this.#queue.add(ended)) this.#scheduleNext();
    else this.#report.lostToFullQueue();
  }

  #scheduleNext(): void {
    this.#forgetTheEnd ??= this.#awaitTheEnd();
    if (this.#queue.hasFullBatch) this.#schedule(0);
    else if (this.#timer === undefined) this.#schedule(this.#parts.limits.intervalMs);
  }

  /** A program that ends by itself has sent its spans before, or says that it could not. */
  #awaitTheEnd(): () => void {
    const forgetBefore = beforeExit(() => {
      void this.flush().then(() => {
        // What is still running would hold the process for as long as a request may take.
        for (const request of this.#requests) request.abort(new DOMException("", "TimeoutError"));
      });
    });
    const forgetExit = atExit(() => this.#report.abandoned(this.#queue.clear()));
    return () => {
      forgetBefore();
      forgetExit();
    };
  }

  /** Resolves when all that has been added is with the platform, or an attempt has failed. */
  flush(): Promise<void> {
    return this.#settled(false);
  }

  /** Likewise, but tries for as long as there is time, and stops then. */
  async shutdown(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    await this.#settled(true);
    this.#timer?.cancel();
    this.#forgetTheEnd?.();
    this.#report.abandoned(this.#queue.clear());
  }

  #settled(patient: boolean): Promise<void> {
    const upTo = this.#queue.lastOrder;
    const { flushMs } = this.#parts.limits;
    const isTooLong = this.#askedUntil > performance.now() + flushMs;
    if (!this.#queue.holdsUpTo(upTo) || (isTooLong && !patient)) return Promise.resolve();
    return new Promise((resolve) => {
      // Unlike the others, this timer keeps the process alive: somebody waits.
      const timer = setTimeout(() => waiter.resolve(), flushMs);
      const waiter: Waiter = {
        upTo,
        patient,
        resolve: () => {
          clearTimeout(timer);
          this.#waiters.delete(waiter);
          resolve();
        },
      };
      this.#waiters.add(waiter);
      this.#dueUpTo = upTo;
      // The last chance is taken, asked to wait or not.
      this.#retryAt = isTooLong ? 0 : this.#askedUntil;
      this.#pump();
    });
  }

  #schedule(delay: number): void {
    const at = Math.max(performance.now() + delay, this.#retryAt);
    if (this.#timer !== undefined && this.#timer.at <= at) return;
    this.#timer?.cancel();
    const cancel = this.#detached(() =>
      unheldTimer(Math.max(at - performance.now(), 0), () => {
        this.#timer = undefined;
        this.#dueUpTo = this.#queue.lastOrder;
        this.#pump();
      }),
    );
    this.#timer = { at, cancel };
  }

  /** After shutdown has given up: what still comes back has been counted as lost. */
  get #isOver(): boolean {
    return this.#isStopped && this.#waiters.size === 0;
  }

  #pump(): void {
    if (this.#isOver) return;
    // One at a time until the platform is known to be well.
    const lanes = this.#failures > 0 ? 1 : LANES;
    while (this.#sending < lanes && this.#isDue()) {
      this.#sending += 1;
      const batch = this.#queue.take();
      void this.#detached(() => this.#deliver(batch)).finally(() => {
        this.#sending -= 1;
        this.#settleWaiters();
        this.#pump();
      });
    }
    if (this.#sending === 0 && this.#queue.size > 0) {
      this.#schedule(this.#isDueSoon() ? 0 : this.#parts.limits.intervalMs);
    }
  }

  #isDue(): boolean {
    return this.#isDueSoon() && performance.now() >= this.#retryAt;
  }

  #isDueSoon(): boolean {
    return this.#queue.nextOrder <= this.#dueUpTo || this.#queue.hasFullBatch;
  }

  async #deliver(batch: Batch): Promise<void> {
    try {
      await this.#deliverOrSplit(batch);
    } catch (error) {
      this.#parts.faults.add(error);
      this.#drop(batch, "they could not be encoded");
    }
  }

  async #deliverOrSplit(batch: Batch): Promise<void> {
    const spans = batch.map(({ ended }) => ended);
    await this.#parts.reader.settled(spans);
    const body = this.#encode(spans);
    const outcome = body === undefined ? TOO_LARGE : await this.#send(body);
    if (outcome.kind !== "too-large") return this.#settle(batch, outcome);
    if (batch.length === 1) {
      const why =
        body === undefined ? "they could not be encoded" : "they were too large for Agate";
      return this.#drop(batch, why);
    }
    const middle = Math.ceil(batch.length / 2);
    await this.#deliverOrSplit(batch.slice(0, middle));
    await this.#deliverOrSplit(batch.slice(middle));
  }

  async #send(body: Uint8Array): Promise<SendOutcome> {
    const request = new AbortController();
    this.#requests.add(request);
    try {
      return await sendSpans(this.#parts.target, body, request.signal);
    } finally {
      this.#requests.delete(request);
    }
  }

  // A span that cannot be encoded must not take the others with it: the batch is split around it.
  #encode(spans: readonly EndedSpan[]): Uint8Array<ArrayBuffer> | undefined {
    const { reader, faults } = this.#parts;
    return faults.guard(() => reader.encode(spans), undefined);
  }

  #settle(batch: Batch, outcome: SettledOutcome): void {
    if (this.#isOver) return;
    switch (outcome.kind) {
      case "accepted":
        this.#failures = 0;
        this.#queue.release(batch);
        this.#report.accepted(
          batch.length,
          Math.min(outcome.rejected, batch.length),
          outcome.message,
        );
        break;
      case "refused":
        this.#failures = 0;
        this.#queue.release(batch);
        this.#report.refused(batch.length, outcome.reason);
        break;
      case "later":
        this.#failures += 1;
        this.#queue.putBack(batch);
        this.#postpone(outcome.after);
        this.#report.postponed(outcome.reason, this.#failures);
        for (const waiter of this.#waiters) if (!waiter.patient) waiter.resolve();
    }
  }

  #postpone(asked: number | null): void {
    const { retryMs, maxRetryMs } = this.#parts.limits;
    const longest = Math.min(retryMs * 2 ** Math.min(this.#failures - 1, 30), maxRetryMs);
    // Replicas that lost the platform together must not come back together.
    const own = longest * (0.5 + Math.random() / 2);
    const pause = asked === null ? own : Math.min(asked, LONGEST_PAUSE_MS);
    this.#retryAt = performance.now() + pause;
    this.#askedUntil = asked === null ? 0 : this.#retryAt;
  }

  /**
   * Sending belongs to no call: it must neither be traced itself (its spans would be sent, and
   * traced) nor keep a call's data in memory.
   */
  #detached<R>(work: () => R): R {
    const untraced = suppressTracing(ROOT_CONTEXT);
    return outsideContext(() => runInContext(this.#parts.faults, untraced, work));
  }

  #drop(batch: Batch, why: string): void {
    this.#queue.release(batch);
    this.#report.lost(batch.length, why);
  }

  #settleWaiters(): void {
    for (const waiter of this.#waiters) {
      if (!this.#queue.holdsUpTo(waiter.upTo)) waiter.resolve();
    }
  }
}
