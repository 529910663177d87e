import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { sendSpans } from "../sent-span.ts";
import { expectedTraces, readTraces } from "./read-traces.ts";
import type { SeededRandom } from "./seeded-random.ts";
import type { Change } from "./trace-ledger.ts";
import { TraceLedger } from "./trace-ledger.ts";

/** One connection, and what was said on it. */
export class CrashClient {
  readonly #random: SeededRandom;
  readonly ledger: TraceLedger;
  #unknown: Change | null = null;
  #changed = new Set<string>();

  constructor(random: SeededRandom) {
    this.#random = random;
    this.ledger = new TraceLedger(random);
  }

  /**
   * Sends one request after the other until the server is gone, or so many.
   *
   * @param deletes Which part of them delete a trace.
   */
  async work(serverUrl: string, deletes: number, requests = Number.POSITIVE_INFINITY) {
    for (let n = 0; n < requests; n++) {
      const isThere = await this.perform(
        serverUrl,
        this.#unknown ?? this.ledger.nextChange(deletes),
      );
      if (!isThere) return;
    }
  }

  /** Sends one request. @returns False when the server is gone, and the outcome unknown. */
  async perform(serverUrl: string, change: Change): Promise<boolean> {
    this.#unknown = change;
    if (!(await this.#send(serverUrl, change))) return false;
    this.#happened(change);
    this.#unknown = null;
    return true;
  }

  /** Finds out whether the request that the kill left open has happened: all of it, or nothing. */
  async settle(serverUrl: string): Promise<void> {
    const change = this.#unknown;
    if (change === null) return;
    const before = expectedTraces(this.ledger.before(change));
    const found = await readTraces(serverUrl, Object.keys(before));
    const hasHappened = !isDeepStrictEqual(found, before);
    if (hasHappened) {
      const after = expectedTraces(this.ledger.after(change));
      expect(found, "a request that was under way").toEqual(after);
      this.#happened(change);
    }
    // As an exporter would: what was not acknowledged is often sent again, whether or not it was stored.
    const isDone = change.kind === "delete" && hasHappened;
    if (isDone || this.#random.chance(0.3)) this.#unknown = null;
  }

  /** Traces that changed since this was last asked. */
  takeChanged(): ReadonlySet<string> {
    const traceIds = this.#changed;
    this.#changed = new Set();
    return traceIds;
  }

  async #send(serverUrl: string, change: Change): Promise<boolean> {
    const compression = this.#random.chance(0.3) ? "gzip" : "none";
    let status: number;
    try {
      if (change.kind === "batch") status = await sendSpans(serverUrl, change.spans, compression);
      else status = await deleteTrace(serverUrl, change.traceId);
    } catch (error) {
      // How fetch says that the connection broke.
      if (error instanceof TypeError && error.message === "fetch failed") return false;
      throw error;
    }
    expect(status).toBe(change.kind === "batch" ? 200 : 204);
    return true;
  }

  #happened(change: Change): void {
    for (const traceId of this.ledger.after(change).keys()) this.#changed.add(traceId);
    this.ledger.apply(change);
  }
}

async function deleteTrace(serverUrl: string, traceId: string): Promise<number> {
  const response = await fetch(`${serverUrl}/observability/traces/${traceId}/`, {
    method: "DELETE",
  });
  return response.status;
}
