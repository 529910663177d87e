import type { QueueLimits } from "./span-queue.ts";

/** How spans wait, and how they are sent. */
export interface ExportLimits extends QueueLimits {
  /** The longest that a span waits for others to be sent with. */
  readonly intervalMs: number;
  /** The first pause after a failure; each further one is twice as long. */
  readonly retryMs: number;
  readonly maxRetryMs: number;
  /** How long one request may take. */
  readonly timeoutMs: number;
  /** How long `flush` and `shutdown` may take. */
  readonly flushMs: number;
}

const MIB = 1024 * 1024;

/** A batch is well below the 16 MiB that the platform takes, even where each character is 3 bytes. */
export const DEFAULT_EXPORT_LIMITS: ExportLimits = {
  maxSpans: 8_192,
  maxBytes: 64 * MIB,
  batchSpans: 512,
  batchBytes: 4 * MIB,
  intervalMs: 1_000,
  retryMs: 1_000,
  maxRetryMs: 30_000,
  timeoutMs: 10_000,
  flushMs: 5_000,
};
