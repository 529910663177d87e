import type { SpanQueue } from "./span-queue.ts";
import type { ExportStatistics } from "./telemetry.ts";

/** Distinct warnings between two successful exports, at most. */
const MOST_WARNINGS = 10;

/** Counts exported and lost spans, and warns about losses and outages. */
export class ExportReport {
  readonly #url: string;
  readonly #queue: Pick<SpanQueue, "rejected">;
  readonly #warn: (sentence: string) => void;
  /** What has been said since the platform last took everything. */
  readonly #said = new Set<string>();
  #exported = 0;
  #dropped = 0;
  /** Of the spans that the queue had no room for, those that were reported. */
  #reportedRejected = 0;
  #lastError: string | null = null;
  #outageReason = "";

  constructor(url: string, queue: Pick<SpanQueue, "rejected">, warn: (sentence: string) => void) {
    this.#url = url;
    this.#queue = queue;
    this.#warn = warn;
  }

  statistics(): Pick<ExportStatistics, "exported" | "dropped" | "lastError"> {
    const dropped = this.#dropped + this.#queue.rejected;
    return { exported: this.#exported, dropped, lastError: this.#lastError };
  }

  lost(count: number, why: string): void {
    this.#dropped += count;
    this.#say(`Spans were lost: ${why}.`);
  }

  accepted(count: number, rejected: number, message: string): void {
    this.#exported += count - rejected;
    this.#lastError = null;
    this.#tellFullQueue();
    if (rejected === 0) this.#said.clear();
    else {
      this.#dropped += rejected;
      this.#say(`Agate at ${this.#url} rejected some spans: ${message || "it did not say why"}.`);
    }
  }

  /** An attempt failed and will be made again. */
  postponed(reason: string, failures: number): void {
    this.#lastError = reason;
    this.#outageReason = reason;
    // One failure may be a restart: no warning.
    if (failures < 2) return;
    this.#say(
      `Agate at ${this.#url} takes no spans: ${reason}. They wait in memory and are sent when it does; what is traced is not affected.`,
      "outage",
    );
  }

  refused(count: number, reason: string): void {
    this.#lastError = reason;
    this.lost(count, `Agate at ${this.#url} refused them, ${reason}`);
  }

  /** At the end, what is still there is lost. */
  abandoned(count: number): void {
    this.#dropped += count;
    if (count > 0) {
      const reason = this.#lastError ?? "there was no time to send them";
      this.#warn(
        `${count} spans were lost at shutdown: Agate at ${this.#url} did not take them, ${reason}.`,
      );
    }
    this.#tellFullQueue();
  }

  #tellFullQueue(): void {
    const rejected = this.#queue.rejected - this.#reportedRejected;
    if (rejected === 0) return;
    const cause = this.#outageReason === "" ? "more came than could be sent" : this.#outageReason;
    this.#warn(
      `${rejected} spans were lost because the queue for Agate at ${this.#url} was full: ${cause}.`,
    );
    this.#reportedRejected += rejected;
    this.#outageReason = "";
  }

  #say(sentence: string, about = sentence): void {
    if (this.#said.has(about) || this.#said.size >= MOST_WARNINGS) return;
    this.#said.add(about);
    this.#warn(sentence);
  }
}
