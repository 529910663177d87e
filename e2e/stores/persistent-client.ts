import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import type { SeededRandom } from "../durability/seeded-random.ts";
import { type Change, TraceLedger } from "../durability/trace-ledger.ts";
import { sendSpans } from "../sent-span.ts";

const PAUSE_MS = 20;

/**
 * Sends one request after the other, each again until it is acknowledged, as an exporter does that
 * has all the time in the world. So its ledger knows what must be there, once.
 */
export class PersistentClient {
  readonly ledger: TraceLedger;
  /** How often each status came; 0: the connection broke. */
  readonly statuses = new Map<number, number>();

  constructor(random: SeededRandom) {
    this.ledger = new TraceLedger(random);
  }

  /** Works until it is told to stop, and then until what it has begun is acknowledged. */
  async work(serverUrl: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) await this.perform(serverUrl, this.ledger.nextChange(0.05));
  }

  async perform(serverUrl: string, change: Change): Promise<void> {
    for (let attempt = 1; !(await this.#attempt(serverUrl, change, attempt)); attempt++) {
      await delay(PAUSE_MS);
    }
    this.ledger.apply(change);
  }

  async #attempt(serverUrl: string, change: Change, attempt: number): Promise<boolean> {
    const status = await send(serverUrl, change);
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (change.kind === "batch" && status === 200) return true;
    if (change.kind === "delete" && status === 204) return true;
    // The attempt before may have happened without an answer.
    if (change.kind === "delete" && status === 404 && attempt > 1) return true;
    expect([0, 502, 503], "a reason to send it again").toContain(status);
    return false;
  }
}

async function send(serverUrl: string, change: Change): Promise<number> {
  try {
    if (change.kind === "batch") return await sendSpans(serverUrl, change.spans);
    const path = `/observability/traces/${change.traceId}/`;
    return (await fetch(`${serverUrl}${path}`, { method: "DELETE" })).status;
  } catch (error) {
    // How fetch says that the connection broke.
    if (error instanceof TypeError && error.message === "fetch failed") return 0;
    throw error;
  }
}
