import { CoalescedTask } from "../../coalesced-task.ts";
import type { StoreTrouble } from "../store-errors.ts";
import { StoreUnavailableError } from "../store-errors.ts";
import type { SummaryWriter } from "./summary-writer.ts";

/** After a pause this long, a large trace has probably ended. */
const PAUSE_MS = 1_000;
/** If writes never pause, summaries are made this long after the first missing write. */
const LONGEST_WAIT_MS = 5_000;

/** Large traces that have grown since their last summary; the next one is made when writes pause. */
export class SummaryBacklog {
  readonly #writer: SummaryWriter;
  readonly #onTrouble: (trouble: StoreTrouble) => void;
  #traces = new Map<string, Set<string>>();
  #timer: NodeJS.Timeout | undefined;
  /** When what waits must be made at the latest; undefined when nothing waits. */
  #deadline: number | undefined;
  readonly #work = new CoalescedTask(() => this.#makeAll());

  constructor(writer: SummaryWriter, onTrouble: (trouble: StoreTrouble) => void) {
    this.#writer = writer;
    this.#onTrouble = onTrouble;
  }

  add(project: string, traceIds: readonly string[]): void {
    if (traceIds.length === 0) return;
    const known = this.#traces.get(project) ?? new Set();
    for (const traceId of traceIds) known.add(traceId);
    this.#traces.set(project, known);
    this.#schedule();
  }

  /** {@link SummaryKeeper} finds what is left, on this server or another. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#traces.clear();
    await this.#work.idle();
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    const now = performance.now();
    this.#deadline ??= now + LONGEST_WAIT_MS;
    const wait = Math.min(PAUSE_MS, Math.max(0, this.#deadline - now));
    this.#timer = setTimeout(() => void this.#work.run(), wait).unref();
  }

  async #renew(project: string, traceId: string): Promise<void> {
    try {
      await this.#writer.renew(project, [traceId]);
    } catch (error) {
      if (error instanceof StoreUnavailableError) this.add(project, [traceId]);
      else this.#onTrouble({ what: `Trace ${traceId} could not be summarised.`, error });
    }
  }

  async #makeAll(): Promise<void> {
    const traces = this.#traces;
    this.#traces = new Map();
    this.#deadline = undefined;
    for (const [project, traceIds] of traces) {
      // One at a time: each may be hundreds of thousands of spans.
      for (const traceId of traceIds) await this.#renew(project, traceId);
    }
  }
}
