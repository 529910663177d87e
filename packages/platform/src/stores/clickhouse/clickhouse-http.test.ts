import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assemble, expectedTree } from "../contract/expected-tree.fixture.ts";
import { family } from "../contract/family.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import { Subject } from "../contract/subject.fixture.ts";
import { QueryAbandonedError } from "../query-lane.ts";
import { StoreUnavailableError } from "../store-errors.ts";
import type { ChdbServer } from "../testing/chdb-server.fixture.ts";
import { startChdbServer } from "../testing/chdb-server.fixture.ts";
import { ClickHouseSession, connectClickHouse } from "./clickhouse-session.ts";
import { openClickHouseAppender, openClickHouseStore } from "./clickhouse-store.ts";

let server: ChdbServer;
let subject: Subject;

beforeAll(async () => {
  server = await startChdbServer();
  subject = new Subject(() => openClickHouseStore({ address: server.address("spans-of-agate") }));
  await subject.open();
});
afterAll(async () => {
  await subject.store.close();
  await server.dispose();
});

describe("over HTTP", () => {
  it("loses nothing that was acknowledged when the server dies, and doubles nothing", async () => {
    subject.fresh();
    const spans = family();
    await subject.append(spans);
    await server.kill();
    const batch = { project: subject.project, receivedAt: 2_000_000, spans };
    expect(await subject.store.append(batch)).toEqual({
      kind: "unavailable",
      reason: "The database cannot be reached.",
    });
    expect(await subject.store.deleteTrace(subject.project, traceIdOf(1))).toMatchObject({
      kind: "unavailable",
    });
    await expect(subject.readTrace()).rejects.toThrow(StoreUnavailableError);
    await expect(subject.list("listTraces")).rejects.toThrow("The database cannot be reached.");
    await server.start();
    expect(await subject.store.append(batch)).toEqual({ kind: "committed" });
    expect(await subject.readTrace()).toEqual(expectedTree(spans));
    expect((await subject.list("listSpans")).items).toHaveLength(spans.length);
    expect((await subject.list("listTraces")).items).toHaveLength(1);
  });

  it("takes the answer of a proxy for the database being away", async () => {
    const proxy = createServer((_, response) => {
      response.writeHead(502).end("<html><body>502 Bad Gateway</body></html>");
    });
    await new Promise<void>((listening) => proxy.listen(0, "127.0.0.1", listening));
    const { port } = proxy.address() as AddressInfo;
    const appender = openClickHouseAppender(
      { ...server.address("spans-of-agate"), url: `http://127.0.0.1:${port}` },
      Number.POSITIVE_INFINITY,
      ({ error }) => expect.fail(String(error)),
    );
    const batch = { project: subject.project, receivedAt: 1, spans: family() };
    expect(await appender.append(batch)).toEqual({
      kind: "unavailable",
      reason: "The response does not come from the database.",
    });
    await appender.close();
    proxy.close();
  });

  it("shows one replica what another wrote, and tells it", async () => {
    subject.fresh();
    const other = openClickHouseAppender(
      server.address("spans-of-agate"),
      Number.POSITIVE_INFINITY,
      ({ error }) => expect.fail(String(error)),
    );
    const seen: boolean[] = [];
    const watch = subject.store.watch((changes) => seen.push(...changes.map(({ isNew }) => isNew)));
    await watch.ready;
    const append = (id: number) =>
      other.append({
        project: subject.project,
        receivedAt: 3_000_000,
        spans: [storedSpan({ id: spanIdOf(id), parentId: id === 1 ? null : spanIdOf(1) })],
      });
    await append(2);
    await expect.poll(() => seen).toEqual([true]);
    await Promise.all([append(3), append(1), subject.append([storedSpan({ id: spanIdOf(4) })])]);
    await expect.poll(() => seen.length).toBeGreaterThan(1);
    watch.stop();
    await other.close();
    expect(seen.slice(1)).not.toContain(true);
    expect((await subject.list("listSpans")).items).toHaveLength(4);
    expect((await subject.list("listTraces")).items.map(({ id }) => id)).toEqual([spanIdOf(1)]);
  });
});

it("breaks off a query in the database when its client goes", async () => {
  const asked = Promise.withResolvers<URL>();
  const brokenOff = Promise.withResolvers<void>();
  // Answers nothing, as a ClickHouse that is at work.
  const silent = createServer((incoming, outgoing) => {
    asked.resolve(new URL(incoming.url ?? "", "http://localhost"));
    outgoing.once("close", () => brokenOff.resolve());
  });
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as AddressInfo;
  const address = { ...server.address("spans"), url: `http://127.0.0.1:${port}` };
  const session = new ClickHouseSession(connectClickHouse(address), address);
  const gone = new AbortController();
  const rows = session.until({ signal: gone.signal, timeoutMs: 1_500 }).rows("SELECT 1");
  const outcome = expect(rows).rejects.toThrow();
  const { searchParams } = await asked.promise;
  expect(searchParams.get("max_execution_time")).toBe("2");
  expect(searchParams.get("cancel_http_readonly_queries_on_client_close")).toBe("1");
  gone.abort();
  await outcome;
  await brokenOff.promise;
  await session.close();
  silent.close();
});

it.each([
  ["in the thread that asks", Number.POSITIVE_INFINITY],
  ["in a thread of its own", 0],
])("breaks off the read of a trace whose client has gone, %s", async (_, largeTraceSpans) => {
  const held = Promise.withResolvers<void>();
  const brokenOff = Promise.withResolvers<void>();
  let statements = 0;
  let hold = Number.POSITIVE_INFINITY;
  // Passes statements on, and holds the answer to one of them.
  const proxy = createServer((incoming, outgoing) => {
    if (++statements >= hold) {
      outgoing.once("close", () => brokenOff.resolve());
      held.resolve();
      return;
    }
    const url = `http://127.0.0.1:${server.port}${incoming.url}`;
    const { method, headers } = incoming;
    // Not over a kept connection, which the server may be closing.
    const passed = request(url, { method, headers, agent: false }, (answer) =>
      answer.pipe(outgoing.writeHead(answer.statusCode ?? 500, answer.headers)),
    );
    passed.once("error", () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as AddressInfo;
  const address = { ...server.address("abandoned"), url: `http://127.0.0.1:${port}` };
  const store = await openClickHouseStore({ address, largeTraceSpans });
  await store.append({ project: "p", receivedAt: 1, spans: family() });
  const focus = { kind: "trace", traceId: traceIdOf(1) } as const;
  expect((await assemble(await store.readTree("p", focus)))?.id).toBe(spanIdOf(1));

  const gone = new AbortController();
  // The thread asks the second one; the one that asks, the first.
  hold = statements + (largeTraceSpans === 0 ? 2 : 1);
  const read = (async () => store.readTree("p", focus, () => gone.signal))().then(assemble);
  const outcome = expect(read).rejects.toThrow(QueryAbandonedError);
  await held.promise;
  gone.abort(new QueryAbandonedError("The client has gone"));
  await outcome;
  await brokenOff.promise;
  hold = Number.POSITIVE_INFINITY;
  await store.close();
  proxy.close();
});
