import { onExit, unheldTimer } from "../runtime/process-lifetime.ts";
import { BatchDelivery, type DeliveryParts } from "./batch-delivery.ts";
import type { EndedSpan } from "./ended-span.ts";
import { ExportReport } from "./export-report.ts";
import { SpanQueue } from "./span-queue.ts";
import type { ExportStatistics } from "./telemetry.ts";

/** Requests at a time. */
const LANES = 2;

export interface ExporterParts extends DeliveryParts {
  readonly warn: (sentence: string) => void;
}

/** Where ended spans go on their way to the platform. */
export interface Exporter {
  statistics(): Omit<ExportStatistics, "faults">;
  /** Takes a span. Does next to nothing: the work is done later. */
  add(ended: EndedSpan): void;
  /** Resolves when all that has been added is with the platform, or an attempt has failed. */
  flush(): Promise<void>;
  /** Likewise, but tries for as long as there is time, and stops then. */
  shutdown(): Promise<void>;
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
export class SpanExporter implements Exporter {
  readonly #parts: ExporterParts;
  readonly #queue: SpanQueue;
  readonly #report: ExportReport;
  readonly #delivery: BatchDelivery;
  readonly #waiters = new Set<Waiter>();
  #timer: { readonly at: number; readonly cancel: () => void } | undefined;
  #forgetTheEnd: (() => void) | undefined;
  #sending = 0;
  /** Spans up to this one go without waiting for a full batch. */
  #dueUpTo = 0;
  #isStopped = false;

  constructor(parts: ExporterParts) {
    this.#parts = parts;
    this.#queue = new SpanQueue(parts.limits);
    this.#report = new ExportReport(parts.target.url, parts.warn);
    this.#delivery = new BatchDelivery(parts, this.#queue, this.#report);
  }

  statistics(): Omit<ExportStatistics, "faults"> {
    return { ...this.#report.statistics(), queued: this.#queue.size };
  }

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
    const forgetBefore = onExit("beforeExit", () => {
      // What is still running would hold the process for as long as a request may take.
      void this.flush().then(() => this.#delivery.abort());
    });
    const forgetExit = onExit("exit", () => this.#report.abandoned(this.#queue.clear()));
    return () => {
      forgetBefore();
      forgetExit();
    };
  }

  flush(): Promise<void> {
    return this.#settled(false);
  }

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
    const { askedUntil } = this.#delivery;
    const isTooLong = askedUntil > performance.now() + flushMs;
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
      this.#delivery.retryFrom(isTooLong ? 0 : askedUntil);
      this.#pump();
    });
  }

  #schedule(delay: number): void {
    const at = Math.max(performance.now() + delay, this.#delivery.retryAt);
    if (this.#timer !== undefined && this.#timer.at <= at) return;
    this.#timer?.cancel();
    const cancel = this.#delivery.detached(() =>
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
    const lanes = this.#delivery.isFailing ? 1 : LANES;
    while (this.#sending < lanes && this.#isDue()) {
      this.#sending += 1;
      const batch = this.#queue.take();
      void this.#delivery.deliver(batch).then((isDelivered) => {
        this.#sending -= 1;
        this.#settleWaiters(isDelivered);
        this.#pump();
      });
    }
    if (this.#sending === 0 && this.#queue.size > 0) {
      this.#schedule(this.#isDueSoon() ? 0 : this.#parts.limits.intervalMs);
    }
  }

  #isDue(): boolean {
    return this.#isDueSoon() && performance.now() >= this.#delivery.retryAt;
  }

  #isDueSoon(): boolean {
    return this.#queue.nextOrder <= this.#dueUpTo || this.#queue.hasFullBatch;
  }

  #settleWaiters(isDelivered: boolean): void {
    for (const waiter of this.#waiters) {
      const isImpatient = !isDelivered && !waiter.patient;
      if (isImpatient || !this.#queue.holdsUpTo(waiter.upTo)) waiter.resolve();
    }
  }
}
