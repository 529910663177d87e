import { onExit } from "../runtime/process-lifetime.ts";
import { keepRequestAlive } from "../runtime/workers-runtime.ts";
import type { EndedSpan } from "./ended-span.ts";
import type { ExporterParts, QueuedExporter } from "./queued-exporter.ts";
import type { ExportStatistics } from "./telemetry.ts";

/** A span that ends this long after loading began starts it again: its request may have been cancelled. */
const LOADING_MS = 1_000;

/**
 * Queues ended spans until the code that sends them is loaded, which begins with the first span. A worker
 * starts without it, and its first answer does not wait for it.
 */
export class LateExporter {
  readonly #parts: ExporterParts;
  #exporter: QueuedExporter | undefined;
  /** By `performance.now()`. */
  #loadingUntil = 0;
  #removeExitHook: (() => void) | undefined;

  constructor(parts: ExporterParts) {
    this.#parts = parts;
  }

  statistics(): Omit<ExportStatistics, "faults"> {
    const { rejected, size } = this.#parts.queue;
    const unsent = { exported: 0, dropped: rejected, queued: size, lastError: null };
    return this.#exporter?.statistics() ?? unsent;
  }

  add(ended: EndedSpan): void {
    if (this.#exporter !== undefined) {
      this.#exporter.add(ended);
      return;
    }
    const { queue, warn } = this.#parts;
    queue.add(ended);
    const now = performance.now();
    if (now < this.#loadingUntil) return;
    this.#loadingUntil = now + LOADING_MS;
    this.#removeExitHook ??= onExit("exit", () =>
      warn(`The process exited before its spans were sent: ${queue.size} lost.`),
    );
    const loading = this.#load();
    try {
      keepRequestAlive(loading);
    } catch {
      // In the global scope of a worker there is no request: the next one loads it.
      this.#loadingUntil = 0;
    }
  }

  async flush(): Promise<void> {
    if (this.#exporter === undefined && this.#parts.queue.size === 0) return;
    const exporter = await this.#load();
    await exporter?.flush();
  }

  async shutdown(): Promise<void> {
    const exporter = await this.#load();
    await exporter?.shutdown();
  }

  /** Undefined where the code cannot be loaded: spans stay queued, and the next attempt may succeed. */
  async #load(): Promise<QueuedExporter | undefined> {
    if (this.#exporter !== undefined) return this.#exporter;
    try {
      // Not kept as a promise: on Cloudflare Workers that belongs to one request.
      const { createExporter } = await import("./create-exporter.ts");
      if (this.#exporter === undefined) {
        this.#exporter = createExporter(this.#parts);
        this.#removeExitHook?.();
        if (this.#parts.queue.hasWaiting) this.#exporter.added();
      }
    } catch (error) {
      this.#parts.faults.add(error);
    }
    return this.#exporter;
  }
}
