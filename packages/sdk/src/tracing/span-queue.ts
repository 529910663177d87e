import type { Attributes } from "@opentelemetry/api";
import type { EndedSpan } from "./ended-span.ts";

/** What a span takes beside its texts, roughly. */
const SPAN_BYTES = 300;
const ATTRIBUTE_BYTES = 16;

export interface QueueLimits {
  readonly maxSpans: number;
  readonly maxBytes: number;
  readonly batchSpans: number;
  readonly batchBytes: number;
}

export interface QueuedSpan {
  /** Of the queue alone: whether it was handed out, and is held until it is settled. */
  isTaken: boolean;
  readonly ended: EndedSpan;
  /** About as many as it has when it is sent. */
  readonly bytes: number;
  /** 1, 2, 3 … in the order in which they came. */
  readonly order: number;
}

export type Batch = readonly QueuedSpan[];

/** The spans that are not with the platform yet, within bounds of number and size. */
export class SpanQueue {
  readonly #limits: QueueLimits;
  #waiting: QueuedSpan[] = [];
  // Marked on the spans, not kept in a set: V8 makes a set a new table every few dozen changes, and old tables
  // keep spans that were sent until the next full collection.
  #taken: Batch[] = [];
  #takenCount = 0;
  #bytes = 0;
  #waitingBytes = 0;
  #order = 0;
  #rejected = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** All that are held, those on their way included. */
  get size(): number {
    return this.#waiting.length + this.#takenCount;
  }

  /** How many spans there was no room for. */
  get rejected(): number {
    return this.#rejected;
  }

  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** The order of the span that came last. */
  get lastOrder(): number {
    return this.#order;
  }

  /** The order of the span that is to go next; infinite if none is. */
  get nextOrder(): number {
    return this.#waiting[0]?.order ?? Number.POSITIVE_INFINITY;
  }

  get hasFullBatch(): boolean {
    const { batchSpans, batchBytes } = this.#limits;
    return this.#waiting.length >= batchSpans || this.#waitingBytes >= batchBytes;
  }

  /** False when there is no room. */
  add(ended: EndedSpan): boolean {
    const bytes = bytesOf(ended);
    const { maxSpans, maxBytes } = this.#limits;
    if (this.size >= maxSpans || (this.size > 0 && this.#bytes + bytes > maxBytes)) {
      this.#rejected += 1;
      return false;
    }
    this.#order += 1;
    this.#bytes += bytes;
    this.#waitingBytes += bytes;
    this.#waiting.push({ isTaken: false, ended, bytes, order: this.#order });
    return true;
  }

  /** Hands out the next spans; they are held until they are released or put back. */
  take(): Batch {
    const { batchSpans, batchBytes } = this.#limits;
    let count = 0;
    let bytes = 0;
    for (const span of this.#waiting) {
      if (count === batchSpans || (count > 0 && bytes + span.bytes > batchBytes)) break;
      count += 1;
      bytes += span.bytes;
    }
    const batch = this.#waiting.splice(0, count);
    this.#waitingBytes -= bytes;
    for (const span of batch) span.isTaken = true;
    this.#takenCount += count;
    this.#taken.push(batch);
    return batch;
  }

  /** Ends the hold on spans that are settled. Returns how many of them were still held. */
  release(batch: Batch): number {
    let count = 0;
    for (const span of batch) {
      if (!span.isTaken) continue;
      span.isTaken = false;
      this.#bytes -= span.bytes;
      count += 1;
    }
    this.#returned(count);
    return count;
  }

  /** Spans that are still held wait again, in their old place. Returns how many there were. */
  putBack(batch: Batch): number {
    const held = batch.filter(({ isTaken }) => isTaken);
    for (const span of held) {
      span.isTaken = false;
      this.#waitingBytes += span.bytes;
    }
    this.#returned(held.length);
    this.#waiting = [...held, ...this.#waiting].sort((a, b) => a.order - b.order);
    return held.length;
  }

  /** Whether a span that came no later than `order` is still here. */
  holdsUpTo(order: number): boolean {
    if (this.nextOrder <= order) return true;
    return this.#taken.some((batch) => batch.some((span) => span.isTaken && span.order <= order));
  }

  /** Empties it. Returns how many spans there were. */
  clear(): number {
    const { size } = this;
    this.#waiting = [];
    for (const batch of this.#taken) for (const span of batch) span.isTaken = false;
    this.#returned(this.#takenCount);
    this.#bytes = 0;
    this.#waitingBytes = 0;
    return size;
  }

  /** Forgets the batches of which nothing is held any more. */
  #returned(count: number): void {
    if (count === 0) return;
    this.#takenCount -= count;
    this.#taken = this.#taken.filter((batch) => batch.some(({ isTaken }) => isTaken));
  }
}

function bytesOf({ span, added }: EndedSpan): number {
  let bytes = SPAN_BYTES + attributeBytes(added) + attributeBytes(span.attributes);
  for (const event of span.events ?? []) bytes += SPAN_BYTES + attributeBytes(event.attributes);
  return bytes;
}

function attributeBytes(attributes: Attributes | undefined): number {
  let bytes = 0;
  for (const key in attributes) bytes += key.length + valueBytes(attributes[key]);
  return bytes;
}

function valueBytes(value: unknown): number {
  if (typeof value === "string") return ATTRIBUTE_BYTES + value.length;
  if (typeof value !== "object" || value === null) return ATTRIBUTE_BYTES;
  if (ArrayBuffer.isView(value)) return ATTRIBUTE_BYTES + value.byteLength;
  let bytes = ATTRIBUTE_BYTES;
  for (const item of Object.values(value)) bytes += valueBytes(item);
  return bytes;
}
