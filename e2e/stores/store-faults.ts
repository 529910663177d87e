import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { expect, it } from "vitest";
import { readTrace, spansOf } from "../clients/read-back.ts";
import { expectEverything } from "../durability/expect-everything.ts";
import { expectedTraces, readTraces } from "../durability/read-traces.ts";
import { SeededRandom } from "../durability/seeded-random.ts";
import type { Batch } from "../durability/trace-ledger.ts";
import { followTraces } from "../replicas/live-traces.ts";
import type { Replicas } from "../replicas/replicas.ts";
import { star } from "../replicas/star.ts";
import { startServer } from "../running-server.ts";
import { sendSpans } from "../sent-span.ts";
import { startDatabaseLink } from "./database-link.ts";
import { startExporting } from "./exporting-application.ts";
import { PersistentClient } from "./persistent-client.ts";

const CLIENTS = 3;
const RESTARTS = 3;
/** Far more than an append has round trips. */
const MOST_ANSWERS = 60;
/** What the clients send began before, everything else later. */
const SENT_BY_CLIENTS = { to: "2025-01-01" };

/** What the faults happen to. */
export interface FaultyPlatform {
  readonly replicas: Replicas;
  /** Where spans are kept. */
  readonly database: {
    readonly port: number;
    kill(): Promise<void>;
    /** Ends it as an administrator does, where it can be told from a kill. */
    stop?(): Promise<void>;
    start(): Promise<void>;
  };
  /** The flags of a server that reaches the database at another port. */
  flagsThrough(port: number): readonly string[];
}

/** Clients that work while something happens, and go on until all they have begun is acknowledged. */
async function whileWorking(
  clients: readonly PersistentClient[],
  url: string,
  happens: () => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const work = Promise.all(clients.map((client) => client.work(url, stop.signal)));
  try {
    await Promise.race([happens(), work]);
  } finally {
    stop.abort();
  }
  await work;
}

/** New traces, and another span of one that is there. */
function moreOf({ spans: [top] }: Batch, fresh: Batch, n: number): Batch {
  const spanId = n.toString(16).padStart(16, "f");
  const another = { ...top!, spanId, parentSpanId: top!.spanId, name: `another ${n}` };
  return { kind: "batch", spans: [...fresh.spans, another] };
}

/** What every server says of every way to read while the database is away. */
async function expectReadsUnavailable({ servers }: Replicas, traceId: string): Promise<void> {
  const paths = [
    `/traces/${traceId}/`,
    `/spans/${traceId.slice(16)}/`,
    "/traces/",
    "/spans/?q=everyspan",
    "/analytics/",
  ];
  for (const { url } of servers) {
    for (const path of paths) {
      const response = await fetch(`${url}/observability${path}`);
      expect([path, response.status]).toEqual([path, 503]);
      expect(response.headers.get("retry-after")).toMatch(/^[1-9][0-9]?$/);
      expect(await response.json()).toEqual({
        detail: [{ loc: [], msg: expect.any(String), type: "store_unavailable" }],
      });
    }
    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    // The outcome of a check a moment before the database died is kept for two seconds.
    const ready = async () => {
      const response = await fetch(`${url}/health/ready`);
      return `${response.status} ${await response.text()}`;
    };
    await expect.poll(ready).toMatch(/^503 .*"loc":\["check","store"\]/s);
  }
}

/**
 * Tests of what becomes of spans when something dies. The last of them ends one of the servers.
 *
 * @param whileAway More to look at while the database is away.
 */
export function testStoreFaults(
  platform: () => FaultyPlatform,
  whileAway: () => Promise<void> = async () => {},
): void {
  const random = new SeededRandom(14);
  const clients = Array.from({ length: CLIENTS }, () => new PersistentClient(random));
  const ledgers = clients.map(({ ledger }) => ledger);
  const expectAllThere = (url: string) => expectEverything(url, ledgers, SENT_BY_CLIENTS);

  it("the database dies during ingest: exporters wait, and nothing is lost or doubled", async () => {
    const { replicas, database } = platform();
    const [{ url: first }, { url: second }] = replicas.servers;
    const [known] = star(0);
    expect(await sendSpans(first, [known!])).toBe(200);
    await using listening = new AsyncDisposableStack();
    const listeners = [listening.use(await followTraces(second))];
    await using application = startExporting(replicas.url);
    await whileWorking(clients, replicas.url, async () => {
      await expect.poll(() => application.answers.map(({ status }) => status)).toContain(200);
      await database.kill();
      // Everything before may have been acknowledged by then.
      application.traceMore();
      await expectReadsUnavailable(replicas, known!.traceId);
      await expect
        .poll(() => application.answers.filter(({ status }) => status === 503))
        .not.toEqual([]);
      const late = followTraces(second);
      await whileAway();
      await database.start();
      // Who began to listen while it was away misses nothing from now on, like everybody else.
      listeners.push(listening.use(await late));
    });
    await application.flush();
    for (const { status, retryAfter } of application.answers) {
      expect([status, retryAfter]).toEqual(status === 503 ? [503, "1"] : [200, undefined]);
    }
    for (const { url } of replicas.servers) {
      const [top, ...steps] = spansOf(await readTrace(url, application.traceId));
      expect([top?.name, top?.parent_span_id]).toEqual(["top", null]);
      expect(steps.map(({ name }) => name).sort()).toEqual(application.steps.toSorted());
      expect(new Set(steps.map(({ parent_span_id }) => parent_span_id))).toEqual(
        new Set([top?.id]),
      );
      expect(new Set(steps.map(({ id }) => id)).size).toBe(steps.length);
    }
    await expectAllThere(replicas.url);
    const [later] = star(0);
    expect(await sendSpans(first, [later!])).toBe(200);
    for (const { events } of listeners) {
      await expect.poll(() => events).toContain(`trace ${later!.traceId}`);
    }
  });

  it("the database restarts again and again in the middle of batches", async () => {
    const { replicas, database } = platform();
    await whileWorking(clients, replicas.url, async () => {
      for (let n = 0; n < RESTARTS; n++) {
        await delay(random.between(50, 300));
        if (n % 2 === 1 && database.stop !== undefined) await database.stop();
        else await database.kill();
        await database.start();
      }
    });
    await expectAllThere(replicas.url);
  });

  it("the connection breaks at any step of an append: all of it is there, or nothing", async () => {
    const { replicas, database, flagsThrough } = platform();
    const { url: direct } = replicas.servers[0];
    const [client] = clients as [PersistentClient];
    await using link = await startDatabaseLink(database.port);
    await using server = await startServer({ flags: flagsThrough(link.port) });
    const first = client.ledger.smallTraces(1);
    await client.perform(server.url, first);
    let unheard = 0;
    for (let count = 1, isOver = false; !isOver; count++) {
      expect(count).toBeLessThan(MOST_ANSWERS);
      // Always of one kind, so that an append has as many steps as the one before.
      const change = moreOf(first, client.ledger.smallTraces(2), count);
      const fault = link.breakAtAnswer(count);
      const status = await sendSpans(server.url, change.spans);
      fault.mend();
      const before = expectedTraces(client.ledger.before(change));
      const after = expectedTraces(client.ledger.after(change));
      const found = await readTraces(direct, Object.keys(after));
      if (status === 503 && isDeepStrictEqual(found, after)) unheard += 1;
      else expect([status, found]).toEqual(status === 503 ? [503, before] : [200, after]);
      // As an exporter does, whether it is there by now or not.
      await client.perform(server.url, change);
      isOver = !fault.hasHappened;
    }
    // At least where the answer to the commit was cut off, all of it was there before it came again.
    expect(unheard).toBeGreaterThan(0);
    // Nor does a database that is away keep a server from ending.
    await link[Symbol.asyncDispose]();
    expect(await sendSpans(server.url, star(1))).toBe(503);
    const stopped = await server.stop();
    expect(stopped, server.log()).toBe(0);
    await expectAllThere(replicas.url);
  });

  it("a server is killed during ingest: the others take what it did not acknowledge", async () => {
    const { replicas } = platform();
    const [, other, victim] = replicas.servers;
    await whileWorking(clients, replicas.url, async () => {
      await delay(random.between(100, 300));
      await victim.kill();
      await delay(200);
    });
    await expectAllThere(replicas.url);
    await expectAllThere(other.url);
    for (const { log } of replicas.servers) expect(log()).not.toContain('"level":60');
  });
}
