import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectedTree } from "../contract/expected-tree.fixture.ts";
import { family } from "../contract/family.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import { Subject } from "../contract/subject.fixture.ts";
import { StoreUnavailableError } from "../store-unavailable-error.ts";
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
      reason: "Something else answers for the database.",
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
