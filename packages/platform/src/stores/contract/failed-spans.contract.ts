import type { SpanStatus } from "@agate/protocol";
import type { StoredSpan } from "@agate/spans";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SpanFilter } from "../span-query.ts";
import { ALWAYS_SUMMARISED } from "../summary/summary-pacer.ts";
import { spanIdOf, storedSpan, traceIdOf } from "./stored-span.fixture.ts";
import type { Subject } from "./subject.fixture.ts";

const START = storedSpan().start;
const BASE = START - (START % 1000);
const TRACES = [0, 1, 2, 3];

/** Which spans arrive together: trace, span and its status. */
type Arrival = readonly (readonly [trace: number, span: number, status: SpanStatus])[];

const arrivals: fc.Arbitrary<readonly Arrival[]> = fc.array(
  fc.array(
    fc.tuple(
      fc.constantFrom(...TRACES),
      fc.nat(3),
      fc.constantFrom("OK" as const, "UNSET" as const, "OK" as const, "ERROR" as const),
    ),
    { minLength: 1, maxLength: 8 },
  ),
  { minLength: 1, maxLength: 4 },
);

const FILTERS: readonly SpanFilter[] = [
  {},
  { anyError: true },
  { anyError: false },
  { anyError: true, status: "OK" },
  { anyError: true, status: "ERROR" },
  { anyError: false, status: "ERROR" },
  { anyError: true, traffic: "live" },
  { anyError: false, traffic: "live" },
  { anyError: true, traffic: "evaluation" },
  { anyError: true, run: "r1" },
  { anyError: true, application: "shop" },
  { anyError: false, application: "shop" },
  { anyError: true, sessionId: "s0", traffic: "live" },
  { anyError: true, startedFrom: BASE + 20 },
];

/** Traces by the spans of theirs that failed, which their tops do not tell. */
export function describeFailedSpans(subject: Subject): void {
  const spanOf = (trace: number, span: number, status: SpanStatus): StoredSpan =>
    storedSpan({
      traceId: traceIdOf(trace),
      id: spanIdOf(trace * 8 + span + 1),
      // The first span is the top, which may arrive after the others.
      parentId: span === 0 ? null : spanIdOf(trace * 8 + 1),
      start: BASE - START + trace * 10 + span,
      name: `${trace}.${span}`,
      status,
      application: trace % 2 === 0 ? "shop" : "desk",
      sessionId: `s${trace % 2}`,
      run: trace === 3 ? "r1" : null,
    });

  /** What every read should find by a filter. */
  async function expectFound(spans: ReadonlyMap<string, StoredSpan>, filter: SpanFilter) {
    const { project, store } = subject;
    const traces = Map.groupBy(spans.values(), ({ traceId }) => traceId);
    const found = [...traces.values()].filter((own) => isTrace(filter, own));
    const counts = Object.fromEntries(found.map((own) => [own[0]?.traceId, failedIn(own)]));
    const { items } = await subject.list("listTraces", filter);
    expect(
      Object.fromEntries(items.map((item) => [item.trace_id, item.metadata.failed_spans ?? 0])),
    ).toEqual(counts);
    expect(items).toHaveLength(found.length);
    const range = { from: BASE, to: BASE + 1000, interval: 1000, groups: null };
    const { total } = await store.analytics({ project, filter, ...range });
    expect(total.count).toBe(found.length);
    const starts = found.map((own) => Math.min(...own.map(({ start }) => start)));
    expect(await store.earliestStart({ project, filter })).toBe(
      starts.length === 0 ? null : Math.min(...starts),
    );
    const ofTraces = [...traces.values()].filter((own) => isFailed(filter, own)).flat();
    const { items: listed } = await subject.list("listSpans", filter);
    expect(listed.map(({ name }) => name).sort()).toEqual(
      ofTraces
        .filter((span) => isSpan(filter, span))
        .map(({ name }) => name)
        .sort(),
    );
    expect(listed.filter(({ metadata }) => metadata.failed_spans !== undefined)).toEqual([]);
  }

  describe("failed spans", () => {
    it("are counted by trace and found by it, as each was last sent", async () => {
      await fc.assert(
        fc.asyncProperty(arrivals, async (batches) => {
          subject.fresh();
          const spans = new Map<string, StoredSpan>();
          for (const batch of batches) {
            const sent = batch.map(([trace, span, status]) => spanOf(trace, span, status));
            await subject.append(sent);
            for (const span of sent) spans.set(span.id, span);
          }
          for (const filter of FILTERS) await expectFound(spans, filter);
          const { tops } = await subject.store.readTops(subject.project, TRACES.map(traceIdOf));
          const { items } = await subject.list("listTraces");
          expect(tops.map((top) => JSON.parse(top))).toEqual(items.toReversed());
        }),
        { numRuns: Math.ceil(subject.arrivals / 4) },
      );
    });

    it("are found in traces on both sides of the size that is summarised later", async () => {
      for (const spans of [ALWAYS_SUMMARISED, ALWAYS_SUMMARISED + 1]) {
        subject.fresh();
        const failing = (n: number): SpanStatus => (n % 1000 === 5 ? "ERROR" : "OK");
        const all = Array.from({ length: spans }, (_, n) =>
          storedSpan({
            id: spanIdOf(n),
            parentId: n === 0 ? null : spanIdOf(0),
            status: failing(n),
          }),
        );
        await subject.append(all.slice(0, 1));
        await subject.append(all.slice(1));
        const counts = async () =>
          (await subject.list("listTraces", { anyError: true })).items.map(
            ({ metadata }) => metadata.failed_spans,
          );
        await expect.poll(counts).toEqual([2]);
        await subject.append([
          storedSpan({ id: spanIdOf(5), parentId: spanIdOf(0), status: "OK" }),
        ]);
        await expect.poll(counts).toEqual([1]);
      }
    });
  });
}

function failedIn(spans: readonly StoredSpan[]): number {
  return spans.filter(({ status }) => status === "ERROR").length;
}

function isFailed({ anyError }: SpanFilter, spans: readonly StoredSpan[]): boolean {
  return anyError === undefined || anyError === failedIn(spans) > 0;
}

/** A trace is found by its top, but for failures, session and run. */
function isTrace(filter: SpanFilter, spans: readonly StoredSpan[]): boolean {
  const [top] = spans.toSorted((a, b) => a.start - b.start);
  return top !== undefined && isFailed(filter, spans) && isSpan(filter, top);
}

function isSpan(
  { status, application, sessionId, run, traffic, startedFrom }: SpanFilter,
  span: StoredSpan,
): boolean {
  return (
    (status === undefined || span.status === status) &&
    (application === undefined || span.application === application) &&
    (sessionId === undefined || span.sessionId === sessionId) &&
    (run === undefined || span.run === run) &&
    (traffic === undefined || (traffic === "live") === (span.run === null)) &&
    (startedFrom === undefined || span.start >= startedFrom)
  );
}
