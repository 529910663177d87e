import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../../stores/contract/stored-span.fixture.ts";
import { QueryQueueFullError } from "../../stores/query-lane.ts";
import type { EventStream } from "../testing/event-stream.fixture.ts";
import { openEventStream } from "../testing/event-stream.fixture.ts";
import type { TestPlatform } from "../testing/test-platform.fixture.ts";
import { startTestPlatform, TEST_PROJECT } from "../testing/test-platform.fixture.ts";
import { LiveClient, LiveFeed } from "./live-feed.ts";

let platform: TestPlatform;
const streams: EventStream[] = [];

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());
afterEach(() => {
  for (const stream of streams.splice(0)) stream.close();
  vi.restoreAllMocks();
});

async function listen(path = "/observability/live/"): Promise<EventStream> {
  const stream = await openEventStream(platform.server.port, path);
  streams.push(stream);
  return stream;
}

/** Resolves when the store has announced a commit to the trace. */
async function watchFor(traceId: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const watch = platform.store.watch((changes) => {
    if (changes.some((change) => change.traceId === traceId)) resolve();
  });
  await promise;
  watch.stop();
}

describe("GET /observability/live/", () => {
  it("tells every listener of a new trace and of what is added to it", async () => {
    const listeners = [await listen(), await listen("/observability/live")];
    expect(listeners[0]?.response.headers).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-store",
    });
    const child = storedSpan({ id: spanIdOf(2), parentId: spanIdOf(1), start: 1 });
    await platform.append([child]);
    for (const listener of listeners) {
      expect(await listener.next()).toMatchObject({ event: "trace", data: { id: spanIdOf(2) } });
    }
    await platform.append([storedSpan({ id: spanIdOf(1), inputs: "a\nb" })]);
    const list = await platform.get("/observability/traces/");
    for (const listener of listeners) {
      expect(await listener.next()).toEqual({ event: "update", data: list.json.items[0] });
    }
  });

  it("has previews of long values unless all is asked for, with filters or without", async () => {
    const listeners = [];
    for (const query of ["", "?content=full", "?name=long", "?name=long&content=full"]) {
      listeners.push(await listen(`/observability/live/${query}`));
    }
    const inputs = "x".repeat(301);
    await platform.append([storedSpan({ traceId: traceIdOf(50), name: "long", inputs })]);
    for (const [n, listener] of listeners.entries()) {
      const { data } = (await listener.next()) ?? {};
      expect(data).toMatchObject({ trace_id: traceIdOf(50) });
      expect([data.content.inputs, data.truncated]).toEqual(
        n % 2 === 0 ? ["x".repeat(300), { "content.inputs": 303 }] : [inputs, undefined],
      );
    }
  });

  it("tells of many traces, each once in a while", async () => {
    const listener = await listen();
    for (let n = 100; n < 110; n++) {
      const spans = [0, 1].map((m) =>
        storedSpan({ traceId: traceIdOf(n), id: spanIdOf(n * 2 + m) }),
      );
      for (const span of spans) await platform.append([span]);
    }
    const seen = new Set<string>();
    while (seen.size < 10) seen.add((await listener.next())?.data.trace_id);
    expect([...seen].sort()).toEqual(Array.from({ length: 10 }, (_, n) => traceIdOf(100 + n)));
  });

  it("answers HEAD without opening a stream", async () => {
    const watch = vi.spyOn(platform.store, "watch");
    const response = await platform.send({ method: "HEAD", path: "/observability/live/" });
    expect(response.status).toBe(200);
    expect(watch).not.toHaveBeenCalled();
  });

  it("ends when the server stops", async () => {
    const other = await startTestPlatform();
    const stream = await openEventStream(other.server.port, "/observability/live/");
    const closed = other.close();
    expect(await stream.next()).toBeUndefined();
    expect(stream.response.complete).toBe(true);
    await closed;
  });

  it("does not begin while the server stops", async () => {
    const other = await startTestPlatform();
    other.app.close();
    const response = await other.get("/observability/live/");
    expect(response.status).toBe(503);
    expect(response.json.detail).toMatchObject([{ type: "shutting_down" }]);
    expect(Number(response.headers["retry-after"])).toBeGreaterThan(0);
    await other.close();
  });
});

describe("a stream whose windows fail", () => {
  it("tells its clients how many events they missed", async () => {
    const errors: unknown[] = [];
    const live = new LiveFeed({
      store: platform.store,
      project: TEST_PROJECT,
      view: { filter: { name: "missed" }, content: "preview" },
      onError: (error) => errors.push(error),
      windowMs: 1,
    });
    const client = live.subscribe(new AbortController().signal)[Symbol.asyncIterator]();
    await client.next();
    const broken = new QueryQueueFullError("full");
    vi.spyOn(platform.store, "listTraces").mockRejectedValueOnce(broken);
    await platform.append([storedSpan({ traceId: traceIdOf(300), name: "missed" })]);
    expect(Buffer.from((await client.next()).value).toString()).toBe(
      'event: lagged\ndata: {"missed":1}\n\n',
    );
    expect(errors).toEqual([broken]);
    live.close();
  });
});

describe("LiveFeed", () => {
  const feed = (heartbeatMs?: number) =>
    new LiveFeed({
      store: platform.store,
      project: TEST_PROJECT,
      view: { filter: {}, content: "preview" },
      onError: (error) => {
        throw error;
      },
      windowMs: 1,
      ...(heartbeatMs !== undefined && { heartbeatMs }),
    });

  it("reads the store only while it has clients", async () => {
    const readTops = vi.spyOn(platform.store, "readTops");
    const live = feed();
    const first = new AbortController();
    const client = live.subscribe(first.signal)[Symbol.asyncIterator]();
    await client.next();
    await platform.append([storedSpan({ traceId: traceIdOf(200), id: spanIdOf(400) })]);
    expect(Buffer.from((await client.next()).value).toString()).toContain(traceIdOf(200));
    expect(readTops).toHaveBeenCalledOnce();
    first.abort();
    expect((await client.next()).done).toBe(true);
    // A commit is announced a moment after the append resolves: later watches might still get it.
    const announced = watchFor(traceIdOf(201));
    await platform.append([storedSpan({ traceId: traceIdOf(201), id: spanIdOf(401) })]);
    await announced;
    // A second listener hears of what comes after it, and of nothing before.
    const second = live.subscribe(new AbortController().signal)[Symbol.asyncIterator]();
    await second.next();
    await platform.append([storedSpan({ traceId: traceIdOf(202), id: spanIdOf(402) })]);
    expect(Buffer.from((await second.next()).value).toString()).toContain(traceIdOf(202));
    expect(readTops).toHaveBeenCalledTimes(2);
    live.close();
  });

  it("keeps a quiet connection alive", async () => {
    const live = feed(1);
    const client = live.subscribe(new AbortController().signal)[Symbol.asyncIterator]();
    const texts = [(await client.next()).value, (await client.next()).value].map((bytes) =>
      Buffer.from(bytes).toString(),
    );
    expect(texts).toEqual([": connected\nretry: 2000\n\n", ": still here\n\n"]);
    live.close();
  });
});

const KILOBYTE = Buffer.alloc(1024, "x");

it("keeps a bounded amount for a slow reader, and tells it how much it missed", async () => {
  const client = new LiveClient(() => {});
  client.connected();
  for (let n = 0; n < 10_000; n++) client.push(KILOBYTE, 1);
  client.end();
  const received: string[] = [];
  for await (const bytes of client) received.push(Buffer.from(bytes).toString());
  expect(received.shift()).toContain("connected");
  const last = received.pop() ?? "";
  const missed = Number(/^event: lagged\ndata: \{"missed":(\d+)\}\n\n$/.exec(last)?.[1]);
  expect(received.length).toBeLessThanOrEqual(1024);
  expect(received.length + missed).toBe(10_000);
});

it("takes a single event of any size", async () => {
  const client = new LiveClient(() => {});
  client.push(Buffer.alloc(5 * 1024 * 1024), 1);
  expect((await client.next()).value?.length).toBe(5 * 1024 * 1024);
});

it("ends once, for a reader that waits and for one that leaves", async () => {
  let ended = 0;
  const client = new LiveClient(() => {
    ended++;
  });
  const waiting = client.next();
  client.end();
  expect((await waiting).done).toBe(true);
  expect((await client.return()).done).toBe(true);
  client.push(KILOBYTE, 1);
  expect((await client.next()).done).toBe(true);
  expect(ended).toBe(1);
});
