import { ANALYTICS_GROUPINGS } from "@agate/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AnalyticsFigures, AnalyticsRequest, SpanFilter } from "../span-query.ts";
import { NO_TRACES } from "../span-query.ts";
import { family } from "./family.fixture.ts";
import type { SpanSketch } from "./stored-span.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf, usageOf } from "./stored-span.fixture.ts";
import type { Subject } from "./subject.fixture.ts";

const BASE = storedSpan().start;
const WINDOW = { from: BASE, to: BASE + 3000, interval: 1000 };

/** Figures over time, and by what traces have in common. */
export function describeAnalytics(subject: Subject): void {
  const ask = (asked: Partial<AnalyticsRequest> = {}) =>
    subject.store.analytics({
      project: subject.project,
      filter: {},
      groups: null,
      ...WINDOW,
      ...asked,
    });
  const appendTraces = (sketches: readonly SpanSketch[]) =>
    subject.append(sketches.map((sketch, n) => storedSpan({ traceId: traceIdOf(n), ...sketch })));

  describe("analytics", () => {
    it("count traces, failures, cost, tokens and latency by time and in total", async () => {
      subject.fresh();
      const call = (n: number, start: number, latency: number | null, cost: number | null) => ({
        start,
        latency,
        status: n === 2 ? ("ERROR" as const) : ("OK" as const),
        figures: cost === null ? null : ({ role: "own", usage: usageOf(10, n), cost } as const),
      });
      await appendTraces([
        call(1, 0, 100, 0.1),
        call(2, 1, 200, 0.2),
        call(3, 999, 300, null),
        call(4, 1000, null, null),
        call(5, 3000, 1, 1),
      ]);
      const first = {
        count: 3,
        errors: 1,
        cost: 0.3,
        withCost: 2,
        priced: { count: 2, cost: 0.3 },
        withTokens: 2,
        inputTokens: 20,
        outputTokens: 3,
        totalTokens: 23,
        latency: { p50: 200, p95: 290, p99: 298 },
      };
      expect(await ask()).toEqual({
        total: { ...first, count: 4 },
        buckets: [
          { start: BASE, ...first },
          { start: BASE + 1000, ...NO_TRACES, count: 1 },
        ],
        groups: [],
        groupsLeftOut: 0,
      });
    });

    it("count the traces with a known cost and with known tokens, in groups too", async () => {
      subject.fresh();
      const own = (usage: ReturnType<typeof usageOf> | null, cost: number | null) => ({
        figures: { role: "own", usage, cost } as const,
      });
      await appendTraces([
        { ...own(usageOf(10, 5), 0.5), name: "both" },
        { ...own(usageOf(0, 0), 0), name: "both", start: 1 },
        { ...own(usageOf(10, 5), null), name: "tokens", start: 1000 },
        { ...own(null, 0.25), name: "cost", start: 1001 },
        { figures: null, name: "neither", start: 2000 },
      ]);
      const counts = ({ count, withCost, withTokens }: AnalyticsFigures) => [
        count,
        withCost,
        withTokens,
      ];
      const { total, buckets, groups } = await ask({ groups: { by: "name", limit: 2 } });
      expect(counts(total)).toEqual([5, 3, 3]);
      expect(buckets.map(counts)).toEqual([
        [2, 2, 2],
        [2, 1, 1],
        [1, 0, 0],
      ]);
      expect(groups.map((group) => [group.key, ...counts(group)])).toEqual([
        ["both", 2, 2, 2],
        ["cost", 1, 1, 0],
      ]);
    });

    it("divide the cost of fully priced traces by their number, in groups too", async () => {
      subject.fresh();
      const call = (trace: number, n: number, figures: SpanSketch["figures"]) =>
        storedSpan({
          traceId: traceIdOf(trace),
          id: spanIdOf(trace * 8 + n),
          parentId: n === 0 ? null : spanIdOf(trace * 8),
          start: trace * 1000 + n,
          name: trace === 2 ? "other" : "shop",
          figures: figures ?? null,
        });
      const priced = (cost: number) => ({ role: "own", usage: usageOf(10, 5), cost }) as const;
      const unpriced = { role: "own", usage: usageOf(1, 1), cost: null } as const;
      const first = call(0, 1, priced(0.5));
      await subject.append([call(0, 0, null), first, call(0, 2, unpriced)]);
      await subject.append([call(1, 0, null), call(1, 1, priced(0.25)), call(1, 2, priced(0))]);
      await subject.append([call(2, 0, unpriced)]);
      const costs = ({ cost, withCost, priced: part }: AnalyticsFigures) => [
        cost,
        withCost,
        part.count,
        part.cost,
      ];
      const groups = { by: "name", limit: 2 } as const;
      const { total, buckets, groups: found } = await ask({ groups });
      expect(costs(total)).toEqual([0.75, 2, 1, 0.25]);
      expect(buckets.map(costs)).toEqual([
        [0.5, 1, 0, null],
        [0.25, 1, 1, 0.25],
        [null, 0, 0, null],
      ]);
      expect(found.map((group) => [group.key, ...costs(group)])).toEqual([
        ["shop", 0.75, 2, 1, 0.25],
        ["other", null, 0, 0, null],
      ]);
      const listed = async () =>
        (await subject.list("listTraces", {})).items.map(({ metadata }) => metadata.total);
      expect(await listed()).toEqual([
        { usage: usageOf(1, 1), cost: null, unpriced_calls: 1 },
        { usage: usageOf(20, 10), cost: 0.25 },
        { usage: usageOf(11, 6), cost: 0.5, unpriced_calls: 1 },
      ]);
      expect((await subject.readTrace(0))?.metadata.total.unpriced_calls).toBe(1);

      // A call whose cost arrives later makes its trace a priced one, and the other way round.
      await subject.append([call(0, 2, priced(0.125))]);
      expect(costs((await ask()).total)).toEqual([0.875, 2, 2, 0.875]);
      await subject.append([call(1, 3, unpriced), call(1, 4, unpriced)]);
      expect(costs((await ask()).total)).toEqual([0.875, 2, 1, 0.625]);
      expect((await listed())[1]).toMatchObject({ cost: 0.25, unpriced_calls: 2 });
    });

    it("count a call that several spans report once, as lists do, in whichever batch each came", async () => {
      const reports = [
        storedSpan({ id: spanIdOf(1) }),
        ...[2, 3].map((n) =>
          storedSpan({
            id: spanIdOf(n),
            parentId: spanIdOf(1),
            start: n,
            figures: {
              role: "own",
              usage: usageOf(1000, 200),
              cost: n / 8,
              call: { key: "anthropic msg_1", isCostSent: n === 3 },
            },
          }),
        ),
      ];
      for (const batches of [
        [reports],
        reports.map((span) => [span]),
        ...reports.map((last) => [reports.filter((span) => span !== last), [last], reports]),
      ]) {
        subject.fresh();
        for (const batch of batches) await subject.append(batch);
        const expected = { cost: 0.375, inputTokens: 1000, outputTokens: 200, totalTokens: 1200 };
        expect((await ask()).total).toMatchObject(expected);
        const total = { usage: usageOf(1000, 200), cost: 0.375 };
        expect((await subject.readTrace())?.metadata.total).toEqual(total);
        const { items } = await subject.list("listTraces", {});
        expect(items.map(({ metadata }) => metadata.total)).toEqual([total]);
      }
    });

    it("know when the first trace that a filter finds started", async () => {
      subject.fresh();
      const earliest = (filter: SpanFilter = {}, project = subject.project) =>
        subject.store.earliestStart({ project, filter });
      expect(await earliest()).toBeNull();
      await appendTraces([
        { start: 500, application: "shop", inputs: "needle" },
        { start: 20, name: "one" },
        { start: 3000, status: "ERROR" },
      ]);
      await subject.store.searchCaughtUp();
      expect(await earliest()).toBe(BASE + 20);
      expect(await earliest({ application: "shop" })).toBe(BASE + 500);
      expect(await earliest({ text: "needle" })).toBe(BASE + 500);
      expect(await earliest({ status: "ERROR" })).toBe(BASE + 3000);
      expect(await earliest({ startedBefore: BASE + 20 })).toBeNull();
      expect(await earliest({ startedFrom: BASE + 21 })).toBe(BASE + 500);
      expect(await earliest({ text: "?" })).toBeNull();
      expect(await earliest({}, "another project")).toBeNull();
      // A span that comes late and began earlier moves its trace; a deleted one does not count.
      await subject.append([storedSpan({ traceId: traceIdOf(0), start: 5 })]);
      expect(await earliest()).toBe(BASE + 5);
      await subject.store.deleteTrace(subject.project, traceIdOf(0));
      expect(await earliest()).toBe(BASE + 20);
      await subject.append([storedSpan({ traceId: traceIdOf(9), start: -BASE - 5 })]);
      expect(await earliest()).toBe(-5);
    });

    it("tell large costs to 15 digits, without the sum's own error", async () => {
      subject.fresh();
      const costing = (cost: number) => ({ figures: { role: "own", usage: null, cost } as const });
      await appendTraces([costing(123_769.241_600_000_02), costing(0.000_1)]);
      expect((await ask()).total.cost).toBe(123_769.2417);
    });

    it("have percentiles of all traces in the total, not of the buckets' percentiles", async () => {
      subject.fresh();
      await appendTraces([
        { start: 0, latency: 1 },
        { start: 1, latency: 1 },
        { start: 2, latency: 1 },
        { start: 1000, latency: 9 },
      ]);
      const { total, buckets } = await ask();
      expect(buckets.map(({ latency }) => latency?.p50)).toEqual([1, 9]);
      expect(total.latency?.p50).toBe(1);
    });

    it("obey the filters, and count a trace that was sent again once", async () => {
      subject.fresh();
      const spans = family();
      await subject.append(spans);
      await subject.append(spans);
      await subject.append([storedSpan({ traceId: traceIdOf(2), status: "ERROR" })]);
      const all = { count: 2, errors: 1, inputTokens: 30, cost: 0.3 };
      expect(await ask()).toMatchObject({ total: all, buckets: [all] });
      const failed = { count: 1, errors: 1, inputTokens: 0, cost: null };
      const filter = { status: "ERROR" } as const;
      expect(await ask({ filter })).toMatchObject({ total: failed, buckets: [failed] });
    });

    it("obey every filter, in groups and without", async () => {
      subject.fresh();
      const cost = 0.5;
      const sketch = {
        name: "one",
        kind: "WORKFLOW",
        status: "ERROR",
        latency: 250,
        application: "shop",
        route: "/a",
        variant: "blue",
        revision: 3,
        environment: "production",
        userId: "ann",
        sessionId: "s1",
        inputs: "needle",
        figures: { role: "own", usage: null, cost },
      } as const;
      await appendTraces([sketch, { ...sketch, figures: null, start: 1 }, { start: 2 }]);
      await subject.store.searchCaughtUp();
      const both: SpanFilter[] = [
        { name: "one" },
        { spankind: "WORKFLOW" },
        { status: "ERROR" },
        { minLatency: 250 },
        { application: "shop" },
        { route: "/a" },
        { variant: "blue" },
        { revision: 3 },
        { environment: "production" },
        { userId: "ann" },
        { sessionId: "s1" },
        { text: "needle" },
        { startedBefore: BASE + 2 },
        { startedFrom: BASE, name: "one" },
      ];
      for (const groups of [null, { by: "route", limit: 1 }] as const) {
        for (const filter of both) {
          expect((await ask({ filter, groups })).total, JSON.stringify(filter)).toMatchObject({
            count: 2,
            cost,
          });
        }
        expect((await ask({ filter: { minCost: cost }, groups })).total.count).toBe(1);
      }
    });

    it("are empty where nothing matches", async () => {
      subject.fresh();
      await appendTraces([{}]);
      const nothing = { total: NO_TRACES, buckets: [], groups: [], groupsLeftOut: 0 };
      const groups = { by: "route", limit: 5 } as const;
      for (const filter of [{ name: "no such" }, { text: "" }]) {
        expect(await ask({ filter, groups })).toEqual(nothing);
      }
    });

    it("group traces, those with most first, then by key, and say how many are left out", async () => {
      subject.fresh();
      const routes = ["/b", "/a", "/d", "/c", null, "/a", null, "/b", "/b", "/e"];
      await appendTraces(routes.map((route, n) => ({ route, start: n * 300 })));
      const keysOf = async (limit: number) => {
        const { groups, groupsLeftOut } = await ask({ groups: { by: "route", limit } });
        return [groups.map(({ key, count }) => [key, count]), groupsLeftOut];
      };
      const wanted = [
        ["/b", 3],
        ["/a", 2],
        [null, 2],
        ["/c", 1],
        ["/d", 1],
        ["/e", 1],
      ];
      expect(await keysOf(6)).toEqual([wanted, 0]);
      expect(await keysOf(4)).toEqual([wanted.slice(0, 4), 2]);
      expect(await keysOf(1)).toEqual([wanted.slice(0, 1), 5]);
      const { groups } = await ask({ groups: { by: "route", limit: 1 } });
      expect(groups[0]?.buckets.map(({ start, count }) => [start - BASE, count])).toEqual([
        [0, 1],
        [2000, 2],
      ]);
    });

    it("group a trace by what it is found by: its top, or the earliest span that says it", async () => {
      subject.fresh();
      await subject.append(family().map((span, n) => ({ ...span, route: n < 2 ? null : `/${n}` })));
      const { groups } = await ask({ groups: { by: "route", limit: 5 } });
      expect(groups).toMatchObject([{ key: "/2", count: 1, inputTokens: 30 }]);
      expect(await ask({ groups: { by: "name", limit: 5 } })).toMatchObject({
        groups: [{ key: "root of the family" }],
      });
    });

    it("have groups that add up to the total and are what their filter finds", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(traceSketch(), { minLength: 1, maxLength: 25 }),
          async (traces) => {
            subject.fresh();
            await appendTraces(traces);
            const { total, buckets } = await ask();
            expectSum(total, buckets);
            for (const by of ANALYTICS_GROUPINGS) {
              const grouped = await ask({ groups: { by, limit: 100 } });
              expect({ ...grouped, groups: [] }).toEqual({
                total,
                buckets,
                groups: [],
                groupsLeftOut: 0,
              });
              expectSum(total, grouped.groups);
              for (const { key, buckets: own, ...figures } of grouped.groups) {
                expectSum(figures, own);
                if (key === null) continue;
                const filter: SpanFilter = { [by === "user_id" ? "userId" : by]: key };
                const found = await ask({ filter });
                expect({ total: figures, buckets: own }).toEqual({
                  total: found.total,
                  buckets: found.buckets,
                });
              }
            }
          },
        ),
        { numRuns: Math.ceil(subject.arrivals / 4) },
      );
    });
  });
}

function expectSum(whole: AnalyticsFigures, parts: readonly AnalyticsFigures[]): void {
  const sum = (figure: "count" | "errors" | "inputTokens" | "outputTokens" | "totalTokens") =>
    parts.reduce((before, part) => before + part[figure], 0);
  for (const figure of ["count", "errors", "inputTokens", "outputTokens", "totalTokens"] as const) {
    expect(sum(figure)).toBe(whole[figure]);
  }
  const costs = parts.map(({ cost }) => cost).filter((cost) => cost !== null);
  if (whole.cost === null) expect(costs).toEqual([]);
  else expect(costs.reduce((before, cost) => before + cost, 0)).toBeCloseTo(whole.cost, 10);
}

function traceSketch(): fc.Arbitrary<SpanSketch> {
  const some = (...names: string[]) => fc.option(fc.constantFrom(...names));
  return fc.record({
    start: fc.integer({ min: 0, max: 2999 }),
    latency: fc.option(fc.integer({ min: 0, max: 1000 }), { nil: null }),
    name: fc.constantFrom("one", "two"),
    kind: fc.constantFrom("WORKFLOW", "LLM"),
    status: fc.constantFrom("OK", "ERROR", "UNSET"),
    application: some("shop", "support"),
    route: some("/", "/summarize"),
    variant: some("default", "blue"),
    environment: some("production", "staging"),
    userId: some("ann", "b\u0000n", "'\"ü"),
    figures: fc.option(
      fc.record({
        role: fc.constant("own"),
        usage: fc.constantFrom(usageOf(1, 2), usageOf(30, 4), null),
        cost: fc.constantFrom(null, 0.1, 0.2, 0.0007),
      }),
      { nil: null },
    ),
  });
}
