import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { PlatformTraces } from "./platform-traces.ts";

interface Span {
  readonly id: string;
  readonly name: string;
  readonly parent_span_id: string | null;
  readonly children: readonly Span[];
}

const span = (id: string, parent: string | null, children: readonly Span[] = []): Span => ({
  id,
  name: `the ${id}`,
  parent_span_id: parent,
  children,
});
const CALL = span("call", "root", [span("tool", "call")]);
const TRACE = span("root", null, [CALL]);

type Reply = readonly [status: number, body: unknown];
const NOT_FOUND: Reply = [404, { detail: [] }];

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A platform that gives these answers in turn, the last one again and again. */
async function platform(replies: readonly Reply[], mostBytes?: number) {
  const asked: { path: string | undefined; key: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const [status, body] = replies[Math.min(asked.length, replies.length - 1)]!;
    asked.push({ path: request.url, key: request.headers.authorization });
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  closing.push(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      }),
  );
  let time = 0;
  const traces = new PlatformTraces({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey: "secret",
    fetch,
    now: () => time,
    wait: async (milliseconds) => {
      time += milliseconds;
    },
    mostBytes,
  });
  const wanted = { traceId: "t1", spanId: "call", leastSpans: 1, isStored: false };
  const read = (more: Partial<typeof wanted> = {}) =>
    traces.read({ ...wanted, ...more }, new AbortController().signal);
  return { asked, read, waited: () => time };
}

it("reads the call's own tree as soon as the platform has all of it", async () => {
  const { asked, read } = await platform([
    NOT_FOUND,
    [503, { detail: [] }],
    [200, span("root", null)],
    [200, span("root", null, [span("call", "root"), span("tool", "lost")])],
    [200, TRACE],
  ]);
  expect(await read()).toEqual(CALL);
  expect(asked).toHaveLength(5);
  expect(asked[0]).toEqual({ path: "/observability/traces/t1/", key: "Bearer secret" });
});

it("waits for as many spans as the process has seen", async () => {
  const { read } = await platform([[200, TRACE]]);
  expect(await read({ leastSpans: 2 })).toEqual(CALL);
  await expect(read({ leastSpans: 3 })).rejects.toThrow(/2 of 3 spans/);
});

it.each<[string, Reply, RegExp]>([
  ["never comes", NOT_FOUND, /not there, or was deleted/],
  ["lacks the call", [200, span("root", null)], /own span is missing/],
  [
    "lacks a parent",
    [200, span("call", null, [span("tool", "x")])],
    /parent of the span "the tool"/,
  ],
])("gives up after 10 s on a trace that %s", async (_, reply, why) => {
  const { read, waited } = await platform([reply]);
  await expect(read()).rejects.toThrow(why);
  expect(waited()).toBeGreaterThan(8_999);
  expect(waited()).toBeLessThanOrEqual(10_000);
});

it("does not wait for the trace of an earlier run", async () => {
  const { asked, read } = await platform([NOT_FOUND]);
  await expect(read({ isStored: true })).rejects.toThrow(/deleted/);
  expect(asked).toHaveLength(1);
});

it("asks once where the key may not read", async () => {
  const { asked, read } = await platform([[403, { detail: [] }]]);
  await expect(read()).rejects.toThrow(/scope read \(403\)/);
  expect(asked).toHaveLength(1);
});

it("reads a trace up to a size", async () => {
  const bytes = JSON.stringify(TRACE).length;
  expect(await (await platform([[200, TRACE]], bytes)).read()).toEqual(CALL);
  const { asked, read } = await platform([[200, TRACE]], bytes - 1);
  await expect(read()).rejects.toThrow(`larger than ${bytes - 1} bytes`);
  expect(asked).toHaveLength(1);
});
