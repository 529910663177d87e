import type { StoredSpan } from "@agate/spans";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AnalyticsRequest, SpanFilter } from "../span-query.ts";
import { storedScore } from "./stored-score.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "./stored-span.fixture.ts";
import type { Subject } from "./subject.fixture.ts";

const START = storedSpan().start;
const BASE = START - (START % 1000);
const TRACES = [0, 1, 2, 3];

/** Which spans arrive together: trace, span, and the run that the span names. */
type Arrival = readonly (readonly [trace: number, span: number, run: string | null])[];

const arrivals: fc.Arbitrary<readonly Arrival[]> = fc.array(
  fc.array(
    fc.tuple(
      fc.constantFrom(...TRACES),
      fc.nat(2),
      fc.option(fc.constantFrom("r1", "r2"), { freq: 2, nil: null }),
    ),
    { minLength: 1, maxLength: 6 },
  ),
  { minLength: 1, maxLength: 4 },
);

const FILTERS: readonly SpanFilter[] = [
  {},
  { traffic: "live" },
  { traffic: "evaluation" },
  { run: "r1" },
  { run: "r2", traffic: "evaluation" },
  { run: "r1", traffic: "live" },
  { application: "shop", traffic: "live" },
  { application: "shop", traffic: "evaluation" },
];

/** Live traffic and that of evaluation runs. */
export function describeTraffic(subject: Subject): void {
  const spanOf = (trace: number, span: number, run: string | null): StoredSpan =>
    storedSpan({
      traceId: traceIdOf(trace),
      id: spanIdOf(trace * 8 + span + 1),
      // The first span is the top, which may arrive after the others.
      parentId: span === 0 ? null : spanIdOf(trace * 8 + 1),
      start: BASE - START + trace * 10 + span,
      name: `${trace}.${span}`,
      application: trace % 2 === 0 ? "shop" : "desk",
      run,
    });
  const range = { from: BASE, to: BASE + 1000, interval: 1000, groups: null };
  const analyticsOf = (filter: SpanFilter): AnalyticsRequest => ({
    project: subject.project,
    filter,
    ...range,
  });

  /** What every read should find by a filter. */
  async function expectFound(spans: ReadonlyMap<string, StoredSpan>, filter: SpanFilter) {
    const traces = Map.groupBy(spans.values(), ({ traceId }) => traceId);
    const found = [...traces.values()].filter((own) => matches(filter, own));
    const ofTraces = new Set(found.flat().map(({ name }) => name));
    const listed = (await subject.list("listTraces", filter)).items;
    expect(new Set(listed.map(({ trace_id }) => trace_id))).toEqual(
      new Set(found.map(([first]) => first?.traceId)),
    );
    expect(listed).toHaveLength(found.length);
    const names = await subject.namesOf("listSpans", filter);
    expect(names.toSorted()).toEqual([...ofTraces].sort());
    const { total } = await subject.store.analytics(analyticsOf(filter));
    expect(total.count).toBe(found.length);
    const { names: scores } = await subject.store.scoreFigures(analyticsOf(filter));
    expect(scores[0]?.count ?? 0).toBe(found.length);
    const { project } = subject;
    const earliest = await subject.store.earliestStart({ project, filter });
    const starts = listed.map(({ name }) => BASE + Number(name[0]) * 10 + Number(name[2]));
    expect(earliest).toBe(starts.length === 0 ? null : Math.min(...starts));
    if (filter.run !== undefined || filter.application !== undefined) return;
    const { traffic } = filter;
    const ids = TRACES.map(traceIdOf);
    const { tops, unread } = await subject.store.readTops(project, ids, { traffic });
    expect(tops.map((top) => JSON.parse(top).trace_id)).toEqual(
      ids.filter((id) => found.some(([first]) => first?.traceId === id)),
    );
    expect(unread).toBe(0);
  }

  describe("traffic", () => {
    it("is that of a run where a span of the trace names one, whenever it arrives", async () => {
      await fc.assert(
        fc.asyncProperty(arrivals, async (batches) => {
          subject.fresh();
          const { project } = subject;
          const scores = TRACES.map((n) => storedScore({ traceId: traceIdOf(n) }));
          await subject.store.putScores({ project, scores });
          const spans = new Map<string, StoredSpan>();
          for (const batch of batches) {
            const sent = batch.map(([trace, span, run]) => spanOf(trace, span, run));
            await subject.append(sent);
            // Sent again, a span may have lost its run: then it is live traffic again.
            for (const span of sent) spans.set(span.id, span);
          }
          for (const filter of FILTERS) await expectFound(spans, filter);
        }),
        { numRuns: Math.ceil(subject.arrivals / 4) },
      );
    });

    it("of a run can be read, and goes with its traces", async () => {
      subject.fresh();
      await subject.append([spanOf(0, 0, null), spanOf(1, 0, "r1"), spanOf(1, 1, null)]);
      const read = await subject.read({ kind: "trace", traceId: traceIdOf(1) });
      expect(read?.metadata.attributes).toEqual({ "ag.evaluation.run": "r1" });
      expect(read?.children).toHaveLength(1);
      await subject.store.deleteTrace(subject.project, traceIdOf(1));
      expect(await subject.namesOf("listTraces", {})).toEqual(["0.0"]);
      expect(await subject.namesOf("listSpans", { run: "r1" })).toEqual([]);
    });
  });
}

/** A trace has the run of its top, else of its earliest span that names one; spans have that of their trace. */
function matches({ run, traffic, application }: SpanFilter, spans: readonly StoredSpan[]): boolean {
  const byStart = spans.toSorted((a, b) => a.start - b.start);
  const own = byStart.find((span) => span.run !== null)?.run ?? null;
  const isTraffic = traffic === undefined || (traffic === "live") === (own === null);
  const isRun = run === undefined || run === own;
  return (
    isTraffic && isRun && (application === undefined || byStart[0]?.application === application)
  );
}
