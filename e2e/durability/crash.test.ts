import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import type { RunningServer } from "../running-server.ts";
import { startServer } from "../running-server.ts";
import { sendSpans } from "../sent-span.ts";
import { expectSoundFiles } from "./expect-sound-files.ts";
import { expectedTrace, readList, readTrace } from "./read-traces.ts";
import { SeededRandom } from "./seeded-random.ts";
import type { Change, TraceState } from "./trace-ledger.ts";
import { COMMON_WORD, TraceLedger, wordOf } from "./trace-ledger.ts";

const ROUNDS = Number(process.env.AGATE_CRASH_ROUNDS ?? 20);
const SEED = Number(process.env.AGATE_CRASH_SEED ?? Date.now() % 1_000_000);
const CONNECTIONS = 6;
const LONGEST_ROUND_MS = 500;

it(`keeps every acknowledged span through ${ROUNDS} kills`, {
  timeout: 60_000 + ROUNDS * 5_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), "agate-crash-"));
  const random = new SeededRandom(SEED);
  const clients = Array.from(
    { length: CONNECTIONS },
    (_, n) => new Client(new SeededRandom(SEED + n)),
  );
  let round = 0;
  try {
    for (; round < ROUNDS; round++) {
      await using server = await startServer({ dataDirectory: folder });
      for (const client of clients) await client.settle(server);
      await expectAll(server, clients, "changed");
      const deletes = random.chance(0.3) ? 0.6 : 0.05;
      const work = clients.map((client) => client.work(server, deletes));
      await delay(random.between(0, LONGEST_ROUND_MS));
      await server.kill();
      await Promise.all(work);
      await expectSoundFiles(folder);
    }
    await using server = await startServer({ dataDirectory: folder });
    for (const client of clients) await client.settle(server);
    await expectAll(server, clients, "all");
    expect(await server.stop()).toBe(0);
    await expectSoundFiles(folder);
  } catch (error) {
    const again = `AGATE_CRASH_SEED=${SEED} AGATE_CRASH_ROUNDS=${ROUNDS}`;
    throw new Error(`In round ${round} of ${again}: ${error}`, { cause: error });
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** A connection, what was said on it, and what has not been checked since. */
class Client {
  readonly #random: SeededRandom;
  readonly ledger: TraceLedger;
  #unknown: Change | null = null;
  #unchecked = new Set<string>();

  constructor(random: SeededRandom) {
    this.#random = random;
    this.ledger = new TraceLedger(random);
  }

  /** Sends one request after the other until the server is gone. */
  async work(server: RunningServer, deletes: number): Promise<void> {
    for (;;) {
      const change = this.#unknown ?? this.ledger.nextChange(deletes);
      const happened = await this.#send(server, change);
      if (!happened) {
        this.#unknown = change;
        return;
      }
      this.#happened(change);
      this.#unknown = null;
    }
  }

  /** Finds out whether the request that the kill left open has happened: all of it, or nothing. */
  async settle(server: RunningServer): Promise<void> {
    const change = this.#unknown;
    if (change === null) return;
    const before = this.ledger.before(change);
    const found = await readStates(server, before.keys());
    const isAsBefore = Object.keys(found).every(
      (traceId) =>
        JSON.stringify(found[traceId]) === JSON.stringify(expectedTrace(before.get(traceId)!)),
    );
    if (!isAsBefore) {
      expect(found, "a request that was under way").toEqual(toExpected(this.ledger.after(change)));
      this.#happened(change);
    }
    // As an exporter would: what was not acknowledged is often sent again, whatever became of it.
    const isDone = change.kind === "delete" && !isAsBefore;
    if (isDone || this.#random.chance(0.3)) this.#unknown = null;
  }

  /** Traces that changed since this was last asked. */
  takeUnchecked(): ReadonlySet<string> {
    const traceIds = this.#unchecked;
    this.#unchecked = new Set();
    return traceIds;
  }

  async #send(server: RunningServer, change: Change): Promise<boolean> {
    const compression = this.#random.chance(0.3) ? "gzip" : "none";
    let status: number;
    try {
      if (change.kind === "batch") status = await sendSpans(server.url, change.spans, compression);
      else status = await deleteTrace(server, change.traceId);
    } catch (error) {
      // The connection broke: undici's way of saying so.
      if (error instanceof TypeError) return false;
      throw error;
    }
    expect(status).toBe(change.kind === "batch" ? 200 : 204);
    return true;
  }

  #happened(change: Change): void {
    for (const traceId of this.ledger.after(change).keys()) this.#unchecked.add(traceId);
    this.ledger.apply(change);
  }
}

async function deleteTrace(server: RunningServer, traceId: string): Promise<number> {
  const response = await fetch(`${server.url}/observability/traces/${traceId}/`, {
    method: "DELETE",
  });
  return response.status;
}

/** What is there is what was acknowledged: trees, lists, spans by id, full-text search. */
async function expectAll(
  server: RunningServer,
  clients: readonly Client[],
  which: "changed" | "all",
): Promise<void> {
  const ledgers = clients.map((client) => client.ledger);
  const live = new Map<string, TraceState>(ledgers.flatMap(({ traces }) => [...traces]));
  const listed = await readList(server.url, "traces");
  expect(listed.map((top) => top.trace_id).sort()).toEqual([...live.keys()].sort());

  const changed = clients.flatMap((client) => [...client.takeUnchecked()]);
  const gone = ledgers.flatMap(({ deleted }) => [...deleted]);
  const toRead = which === "all" ? [...live.keys(), ...gone] : changed;
  const found = await readStates(server, toRead);
  const expected = toRead.map((traceId) => [traceId, live.get(traceId) ?? new Map()] as const);
  expect(found).toEqual(toExpected(expected));

  const recent = changed.map((traceId) => live.get(traceId)).findLast((spans) => spans);
  const spanId = [...(recent?.keys() ?? [])].at(-1);
  if (spanId !== undefined) await expectFound(server, spanId);
  if (which === "changed") return;

  const ids = [...live.values()].flatMap((spans) => [...spans.keys()]).sort();
  const spans = await readList(server.url, "spans");
  expect(spans.map((span) => span.id).sort()).toEqual(ids);
  await expect
    .poll(async () => (await readList(server.url, "spans", { q: COMMON_WORD })).length, {
      timeout: 30_000,
    })
    .toBe(ids.length);
}

/** A span can be read by its id at once, and by its word when the index has caught up. */
async function expectFound(server: RunningServer, spanId: string): Promise<void> {
  const byId = await fetch(`${server.url}/observability/spans/${spanId}/`);
  expect(byId.status).toBe(200);
  await byId.body?.cancel();
  const search = () => readList(server.url, "spans", { q: wordOf(spanId) });
  await expect
    .poll(async () => (await search()).map((span) => span.id), { timeout: 30_000 })
    .toEqual([spanId]);
}

async function readStates(server: RunningServer, traceIds: Iterable<string>) {
  const rest = [...new Set(traceIds)];
  const found: Record<string, Awaited<ReturnType<typeof readTrace>>> = {};
  const readSome = async () => {
    for (let id = rest.pop(); id !== undefined; id = rest.pop()) {
      found[id] = await readTrace(server.url, id);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, readSome));
  return found;
}

function toExpected(states: Iterable<readonly [string, TraceState]>) {
  return Object.fromEntries(
    [...states].map(([traceId, state]) => [traceId, expectedTrace(state)] as const),
  );
}
