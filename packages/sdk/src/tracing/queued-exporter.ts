import { BatchDelivery, type DeliveryParts } from "./batch-delivery.ts";
import type { EndedSpan } from "./ended-span.ts";
import { ExportReport } from "./export-report.ts";
import type { SpanQueue } from "./span-queue.ts";
import type { ExportStatistics } from "./telemetry.ts";

export interface ExporterParts extends DeliveryParts {
  readonly warn: (sentence: string) => void;
}

/**
 * Queues ended spans on their way to the platform. When the queue is sent depends on the runtime:
 * `SpanExporter` has timers, `RequestBoundExporter` has the requests of a worker.
 */
export abstract class QueuedExporter {
  protected readonly limits: ExporterParts["limits"];
  protected readonly queue: SpanQueue;
  protected readonly report: ExportReport;
  protected readonly delivery: BatchDelivery;
  protected isStopped = false;

  constructor(parts: ExporterParts) {
    this.limits = parts.limits;
    this.queue = parts.queue;
    this.report = new ExportReport(parts.target.url, parts.queue, parts.warn);
    this.delivery = new BatchDelivery(parts, this.report);
  }

  statistics(): Omit<ExportStatistics, "faults"> {
    return { ...this.report.statistics(), queued: this.queue.size };
  }

  /** Queues a span. Cheap: encoding and sending happen later. */
  add(ended: EndedSpan): void {
    if (this.isStopped) this.report.lost(1, "telemetry was shut down before they ended");
    else if (this.queue.add(ended)) this.added();
  }

  /** Schedules sending after a span was queued. */
  abstract added(): void;

  /** Resolves when every queued span is with the platform, or no attempt follows within the time limit. */
  abstract flush(): Promise<void>;

  /** Sends the queue for as long as the limits allow; spans left after that are lost. */
  async shutdown(): Promise<void> {
    if (this.isStopped) return;
    this.isStopped = true;
    await this.drain();
    this.report.abandoned(this.queue.clear());
  }

  /** The last flush, and the release of what the exporter holds. */
  protected abstract drain(): Promise<void>;
}
