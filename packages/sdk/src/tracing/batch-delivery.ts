import { ROOT_CONTEXT } from "@opentelemetry/api";
import { suppressTracing } from "@opentelemetry/core";
import { outsideContext } from "../context/context-slot.ts";
import { runInContext } from "./active-context.ts";
import type { ExportReport } from "./export-report.ts";
import type { Faults } from "./faults.ts";
import type { Secrets } from "./secrets.ts";
import type { Batch, SpanQueue } from "./span-queue.ts";
import {
  type SendOutcome,
  type SendTarget,
  type SettledOutcome,
  SpanSender,
} from "./span-sender.ts";
import type { ExportLimits } from "./telemetry-options.ts";

/** A pause that the platform asks for is kept, within reason. */
const LONGEST_PAUSE_MS = 10 * 60_000;
/** It may ask for none, or for a time that its clock takes to be over: attempts would follow without a pause. */
const SHORTEST_ASKED_MS = 100;
const TOO_LARGE: SendOutcome = { kind: "too-large" };

export interface DeliveryParts {
  readonly queue: SpanQueue;
  readonly target: SendTarget;
  readonly limits: ExportLimits;
  readonly secrets: Secrets;
  readonly faults: Faults;
}

/**
 * Brings batches of a queue to the platform: encodes them, splits those that are too large, and accounts
 * for every span. When it sends which batch is for the exporter to decide.
 */
export class BatchDelivery {
  readonly #parts: DeliveryParts;
  readonly #queue: SpanQueue;
  readonly #report: ExportReport;
  readonly #sender: SpanSender;
  /** One for each request that is running. */
  readonly #requests = new Set<AbortController>();
  /** Attempts that failed, one after the other. */
  #failures = 0;
  /** When the first of them failed, by `performance.now()`. */
  #failingSince = 0;
  /** No attempt before then, by `performance.now()`. */
  #retryAt = 0;
  /** Likewise, but asked for by the platform: a flush respects it. */
  #askedUntil = 0;

  constructor(parts: DeliveryParts, report: ExportReport) {
    this.#parts = parts;
    this.#queue = parts.queue;
    this.#report = report;
    this.#sender = new SpanSender(parts.target, parts.secrets);
  }

  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** Whether all attempts have failed for so long that the platform is down. */
  hasFailedFor(milliseconds: number): boolean {
    return this.isFailing && performance.now() - this.#failingSince >= milliseconds;
  }

  get retryAt(): number {
    return this.#retryAt;
  }

  get askedUntil(): number {
    return this.#askedUntil;
  }

  /** The next attempt may be made at this time, earlier than the back-off of the last failure. */
  retryFrom(time: number): void {
    this.#retryAt = time;
  }

  /** Sends a batch of the queue's. False when some of its spans wait in the queue again. */
  deliver(batch: Batch): Promise<boolean> {
    return this.detached(async () => {
      try {
        return await this.#deliverOrSplit(batch);
      } catch (error) {
        this.#parts.faults.add(error);
        this.#drop(batch, "they could not be encoded");
        return true;
      }
    });
  }

  /**
   * Runs work of the exporter's. It belongs to no call: it must neither be traced itself (its spans would
   * be sent, and traced) nor keep a call's data in memory.
   */
  detached<R>(work: () => R): R {
    const untraced = suppressTracing(ROOT_CONTEXT);
    return outsideContext(() => runInContext(this.#parts.faults, untraced, work));
  }

  /** Ends the requests that are running, as if their time was up. */
  abort(): void {
    for (const request of this.#requests) request.abort(new DOMException("", "TimeoutError"));
  }

  async #deliverOrSplit(batch: Batch): Promise<boolean> {
    const spans = batch.map(({ ended }) => ended);
    await this.#sender.settled(spans);
    // A span that cannot be encoded must not take the others with it: the batch is split around it.
    const body = this.#parts.faults.guard(() => this.#sender.encode(spans), undefined);
    const outcome = body === undefined ? TOO_LARGE : await this.#send(body);
    if (outcome.kind !== "too-large") return this.#settle(batch, outcome);
    if (batch.length === 1) {
      const why =
        body === undefined ? "they could not be encoded" : "they were too large for Agate";
      this.#drop(batch, why);
      return true;
    }
    const middle = Math.ceil(batch.length / 2);
    const first = await this.#deliverOrSplit(batch.slice(0, middle));
    const second = await this.#deliverOrSplit(batch.slice(middle));
    return first && second;
  }

  async #send(body: Uint8Array): Promise<SendOutcome> {
    const request = new AbortController();
    this.#requests.add(request);
    try {
      return await this.#sender.send(body, request.signal);
    } finally {
      this.#requests.delete(request);
    }
  }

  /** Spans that the queue no longer holds for this batch have been accounted for: they count as none. */
  #settle(batch: Batch, outcome: SettledOutcome): boolean {
    if (outcome.kind === "later") {
      const count = this.#queue.putBack(batch);
      if (count === 0) return true;
      if (!this.isFailing) this.#failingSince = performance.now();
      this.#failures += 1;
      this.#postpone(outcome.after);
      this.#report.postponed(outcome.reason, this.#failures);
      return false;
    }
    this.#failures = 0;
    // It answers: what another request was refused waits no longer than the platform asked for.
    this.#retryAt = this.#askedUntil;
    const count = this.#queue.release(batch);
    if (count === 0) return true;
    if (outcome.kind === "refused") this.#report.refused(count, outcome.reason);
    else this.#report.accepted(count, Math.min(outcome.rejected, count), outcome.message);
    return true;
  }

  #postpone(asked: number | null): void {
    const { retryMs, maxRetryMs } = this.#parts.limits;
    const longest = Math.min(retryMs * 2 ** Math.min(this.#failures - 1, 30), maxRetryMs);
    // Replicas that lost the platform together must not come back together.
    const own = longest * (0.5 + Math.random() / 2);
    const kept = Math.max(asked ?? own, Math.min(own, SHORTEST_ASKED_MS));
    const pause = Math.min(kept, LONGEST_PAUSE_MS);
    this.#retryAt = performance.now() + pause;
    this.#askedUntil = asked === null ? 0 : this.#retryAt;
  }

  #drop(batch: Batch, why: string): void {
    const count = this.#queue.release(batch);
    if (count > 0) this.#report.lost(count, why);
  }
}
