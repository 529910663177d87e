import type { StoredSpan } from "@agate/spans";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../../stores/contract/stored-span.fixture.ts";
import type { EventStream } from "../testing/event-stream.fixture.ts";
import { openEventStream } from "../testing/event-stream.fixture.ts";
import type { TestPlatform } from "../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../testing/test-platform.fixture.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

const LIVE = "/observability/live/";
const LIST = "/observability/traces/";
const EPOCH = storedSpan().start;

/** A filter as a client writes it: parameter → value. */
type Query = Readonly<Record<string, string>>;

const NAMES = ["refund order", "ship order", "greet"];

const conditions: fc.Arbitrary<Query> = fc.record({
  application: fc.constantFrom("shop", "help desk"),
  route: fc.constantFrom("/a", "/b"),
  variant: fc.constantFrom("blue", "green"),
  revision: fc.constantFrom("1", "2"),
  environment: fc.constantFrom("production", "staging"),
  status: fc.constantFrom("OK", "ERROR"),
  any_error: fc.constantFrom("true", "false"),
  spankind: fc.constantFrom("LLM", "WORKFLOW"),
  name: fc.constantFrom(...NAMES),
  user_id: fc.constantFrom("ann", "bob"),
  session: fc.constantFrom("s1", "s2"),
  run: fc.constantFrom("r1", "r2"),
  traffic: fc.constantFrom("live", "evaluation", "all"),
  from: fc.constantFrom(isoOf(0), isoOf(5)),
  to: fc.constantFrom(isoOf(8), isoOf(30)),
  min_latency: fc.constantFrom("5", "20"),
  min_cost: fc.constantFrom("0.1", "0.3"),
  q: fc.constantFrom("order", '"ship order"', "gre*", "refund order"),
});

/** Few conditions, so that some traces match. */
const filters: fc.Arbitrary<Query> = conditions.chain((all) =>
  fc
    .subarray(Object.entries(all), { maxLength: 3 })
    .map((some) => Object.fromEntries(some))
    // No trace is of a run and live.
    .filter(({ run, traffic }) => run === undefined || traffic !== "live")
    // The markers are traces of one span.
    .filter(
      ({ status, any_error }) =>
        status === undefined ||
        any_error === undefined ||
        (status === "ERROR") === (any_error === "true"),
    ),
);

const orNull = <Value>(...values: Value[]) => fc.option(fc.constantFrom(...values), { nil: null });

const spans = fc.record({
  start: fc.integer({ min: 0, max: 12 }),
  name: fc.constantFrom(...NAMES),
  kind: fc.constantFrom("LLM", "WORKFLOW", "UNKNOWN"),
  status: fc.constantFrom("OK", "ERROR", "UNSET"),
  latency: fc.constantFrom(1, 5, 30),
  application: orNull("shop", "help desk"),
  route: orNull("/a", "/b"),
  variant: orNull("blue", "green"),
  revision: orNull(1, 2),
  environment: orNull("production", "staging"),
  userId: orNull("ann", "bob"),
  sessionId: orNull("s1", "s2"),
  run: fc.option(fc.constantFrom("r1", "r2"), { freq: 1, nil: null }),
  cost: orNull(0.1, 0.2),
});

/** What arrives together: spans of some of four traces; the first span of a trace is its root. */
const rounds = fc.array(fc.array(fc.tuple(fc.nat({ max: 3 }), spans), { maxLength: 8 }), {
  minLength: 1,
  maxLength: 3,
});

it("sends what the list finds by the same filters, as a naive model does", async () => {
  const numbers = counter();
  await fc.assert(
    fc.asyncProperty(fc.array(filters, { minLength: 3, maxLength: 6 }), rounds, async (...run) => {
      const [queriesOfRun, arrivals] = run;
      const traceIds = [0, 1, 2, 3].map(() => traceIdOf(numbers()));
      const streams = await Promise.all(
        queriesOfRun.map((query) => openEventStream(platform.server.port, pathOf(LIVE, query))),
      );
      const stored = new Map<string, StoredSpan[]>();
      for (const arrival of arrivals) {
        const before = new Set(stored.keys());
        const batch = arrival.map(([n, { cost, ...sketch }]) => {
          const traceId = traceIds[n]!;
          const known = stored.get(traceId) ?? [];
          const figures = cost === null ? null : ownCost(cost);
          const parentId = known[0]?.id ?? null;
          const span = storedSpan({
            ...sketch,
            traceId,
            id: spanIdOf(numbers()),
            parentId,
            figures,
          });
          stored.set(traceId, [...known, span]);
          return span;
        });
        if (batch.length > 0) await platform.append(batch);
        const events: Events[] = streams.map(() => ({ matched: new Set(), unmatched: new Set() }));
        // New traces are the first events of their window. So the first of these may precede what is looked for;
        // the second is in a later window.
        for (const _window of [1, 2]) {
          const markers = queriesOfRun.map((query) => matchingSpan(query, numbers()));
          await platform.append(markers);
          for (const [n, stream] of streams.entries()) {
            await readUntil(stream, markers[n]!.traceId, events[n]!);
          }
        }
        const changed = new Set(batch.map(({ traceId }) => traceId));
        for (const [n, query] of queriesOfRun.entries()) {
          const wanted = [...changed].filter((id) => matches(query, stored.get(id)!)).sort();
          const { json } = await platform.get(pathOf(LIST, { ...query, limit: "1000" }));
          const listed: string[] = json.items.map((item: { trace_id: string }) => item.trace_id);
          expect(listed.filter((id) => changed.has(id)).sort()).toEqual(wanted);
          const { matched, unmatched } = events[n]!;
          expect([...matched].filter((id) => changed.has(id)).sort()).toEqual(wanted);
          // Of a new trace that does not match, no client can know.
          const grown = [...changed].filter((id) => before.has(id) && !wanted.includes(id));
          const isFiltered = JSON.stringify(query) !== '{"traffic":"all"}';
          expect([...unmatched].filter((id) => before.has(id)).sort()).toEqual(
            isFiltered ? grown.sort() : [],
          );
        }
      }
      for (const stream of streams) stream.close();
    }),
    { numRuns: 3, endOnFailure: true },
  );
});

it("refuses what the list refuses", async () => {
  const wrong = "status=GOOD&min_cost=-1&from=yesterday&revision=0";
  const list = await platform.get(`${LIST}?${wrong}`);
  const live = await platform.get(`${LIVE}?${wrong}`);
  expect(live.status).toBe(422);
  expect(live.json).toEqual(list.json);
  const range = "from=2026-11-15&to=2026-11-14";
  expect((await platform.get(`${LIVE}?${range}`)).json).toEqual(
    (await platform.get(`${LIST}?${range}`)).json,
  );
});

/** Traces that match, and traces that do not, by the events of a stream. */
interface Events {
  readonly matched: Set<string>;
  readonly unmatched: Set<string>;
}

/** Reads the events of a stream up to that of this trace. */
async function readUntil(stream: EventStream, last: string, { matched, unmatched }: Events) {
  for (;;) {
    const event = await stream.next();
    if (event === undefined) throw new Error("The stream ended early");
    const id: string = event.data.trace_id;
    if (id === last) return;
    const [into, outOf] = event.event === "unmatched" ? [unmatched, matched] : [matched, unmatched];
    into.add(id);
    outOf.delete(id);
  }
}

function counter(): () => number {
  let count = 0;
  return () => ++count;
}

function pathOf(path: string, query: Query): string {
  return `${path}?${new URLSearchParams(query)}`;
}

function isoOf(microseconds: number): string {
  const day = new Date(EPOCH / 1000).toISOString().slice(0, -1);
  return `${day}${String(microseconds).padStart(3, "0")}Z`;
}

/** Without tokens: a call with the tokens of those below it counts as the same call, and so does its cost. */
function ownCost(cost: number) {
  return { role: "own", usage: null, cost } as const;
}

/** The root of a trace that a filter finds, behind all others that it finds. */
function matchingSpan(query: Query, n: number): StoredSpan {
  return storedSpan({
    traceId: traceIdOf(n),
    id: spanIdOf(n),
    start: (query.to === undefined ? 30 : microsecondsOf(query.to)) - 1,
    startNanos: 999,
    name: query.name ?? "refund order",
    inputs: "refund order, ship order, greet",
    kind: (query.spankind ?? "LLM") as StoredSpan["kind"],
    status: (query.status ?? (query.any_error === "true" ? "ERROR" : "OK")) as StoredSpan["status"],
    latency: 30,
    application: query.application ?? null,
    route: query.route ?? null,
    variant: query.variant ?? null,
    revision: query.revision === undefined ? null : Number(query.revision),
    environment: query.environment ?? null,
    userId: query.user_id ?? null,
    sessionId: query.session ?? null,
    run: query.run ?? (query.traffic === "evaluation" ? "r1" : null),
    figures: ownCost(1),
  });
}

function microsecondsOf(iso: string): number {
  return Number(iso.slice(-4, -1));
}

/** The filters as the reference describes them, over the spans of a trace, the root first. */
function matches(query: Query, [root, ...others]: readonly StoredSpan[]): boolean {
  if (root === undefined) return false;
  const inOrder = [root, ...others.toSorted((a, b) => a.start - b.start || (a.id < b.id ? -1 : 1))];
  const first = <Key extends keyof StoredSpan>(key: Key) =>
    inOrder.find((span) => span[key] !== null)?.[key];
  const ofVariant = inOrder.find(({ variant, revision }) => variant !== null || revision !== null);
  const cost = inOrder.reduce((sum, { figures }) => sum + (figures?.cost ?? 0), 0);
  const isCostKnown = inOrder.some(({ figures }) => figures !== null);
  const conditions: Record<string, (value: string) => boolean> = {
    application: (value) => first("application") === value,
    route: (value) => first("route") === value,
    variant: (value) => ofVariant?.variant === value,
    revision: (value) => ofVariant?.revision === Number(value),
    environment: (value) => first("environment") === value,
    status: (value) => root.status === value,
    any_error: (value) => (value === "true") === inOrder.some(({ status }) => status === "ERROR"),
    spankind: (value) => root.kind === value,
    name: (value) => root.name === value,
    user_id: (value) => first("userId") === value,
    session: (value) => first("sessionId") === value,
    run: (value) => first("run") === value,
    traffic: (value) => value === "all" || (value === "live") === (first("run") === undefined),
    from: (value) => root.start >= EPOCH + microsecondsOf(value),
    to: (value) => root.start < EPOCH + microsecondsOf(value),
    min_latency: (value) => (root.latency ?? 0) >= Number(value),
    min_cost: (value) => isCostKnown && cost >= Number(value) - 1e-9,
    q: (value) => inOrder.some(({ name }) => hasWords(name, value)),
  };
  const asked = { traffic: query.run === undefined ? "live" : "all", ...query };
  return Object.entries(asked).every(([key, value]) => conditions[key]?.(value));
}

function hasWords(name: string, search: string): boolean {
  if (search.startsWith('"')) return name.includes(search.slice(1, -1));
  if (search.endsWith("*"))
    return name.split(" ").some((word) => word.startsWith(search.slice(0, -1)));
  return search.split(" ").every((word) => name.split(" ").includes(word));
}
