import { AGATE_ATTRIBUTES as AG } from "@agate/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { storedScore } from "../../stores/contract/stored-score.fixture.ts";
import type { SpanSketch } from "../../stores/contract/stored-span.fixture.ts";
import {
  spanIdOf,
  storedSpan,
  traceIdOf,
  usageOf,
} from "../../stores/contract/stored-span.fixture.ts";
import { openEventStream } from "../testing/event-stream.fixture.ts";
import type { TestPlatform } from "../testing/test-platform.fixture.ts";
import { startTestPlatform, TEST_PROJECT } from "../testing/test-platform.fixture.ts";

const NOW = Date.UTC(2026, 10, 1, 0, 30);
let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform({ now: () => NOW });
});
afterAll(() => platform.close());

/** A call of a route that asks a model. */
async function call(n: number, sketch: SpanSketch = {}): Promise<void> {
  const top = spanIdOf(2 * n);
  const figures = { role: "own", usage: usageOf(n, n), cost: n } as const;
  await platform.append([
    storedSpan({ traceId: traceIdOf(n), id: top, start: n, application: "shop", ...sketch }),
    storedSpan({
      traceId: traceIdOf(n),
      id: spanIdOf(2 * n + 1),
      parentId: top,
      start: n,
      figures,
    }),
  ]);
  const scores = [storedScore({ traceId: traceIdOf(n), value: n / 10 })];
  const outcome = await platform.store.putScores({ project: TEST_PROJECT, scores });
  expect(outcome).toEqual({ kind: "committed" });
}

const SURFACES = [
  "/observability/traces/?",
  "/observability/spans/?",
  "/observability/analytics/?from=2026-11-01&group_by=application",
  "/observability/analytics/?from=earliest",
  "/observability/analytics/scores/?from=2026-11-01&group_by=application",
] as const;

const read = (query: string) =>
  Promise.all(
    SURFACES.map(async (path) => {
      const { status, json } = await platform.get(`${path}&${query}`);
      expect(status).toBe(200);
      return json;
    }),
  );

describe("traffic", () => {
  it("of a run changes no live list and no live figure", async () => {
    await call(1);
    await call(2, { status: "ERROR" });
    const before = await read("");
    const stream = await openEventStream(platform.server.port, "/observability/live/");
    // A call of the run, whose root arrives last, and the judge's own trace.
    const child = storedSpan({
      traceId: traceIdOf(3),
      id: spanIdOf(7),
      parentId: spanIdOf(6),
      run: "r1",
    });
    await platform.append([child]);
    await call(3, { run: "r1", name: "candidate" });
    await call(4, { run: "r1", name: "judge", kind: "EVALUATOR" });
    await call(5, { run: "r2", name: "candidate" });
    expect(await read("")).toEqual(before);
    expect(await read("traffic=live")).toEqual(before);
    // The first live trace after those of the run is the first that is announced as new.
    await call(6);
    let event = await stream.next();
    while (event?.event === "unmatched") event = await stream.next();
    expect(event).toMatchObject({ event: "trace", data: { trace_id: traceIdOf(6) } });
    stream.close();
  });

  it("of runs is found when it is asked for, on every surface", async () => {
    const counts = async (query: string) => {
      const [traces, spans, analytics, earliest, scores] = await read(query);
      return [
        traces.items.length,
        spans.items.length,
        analytics.total.count,
        earliest.total.count,
        scores.names[0]?.count ?? 0,
      ];
    };
    expect(await counts("")).toEqual([3, 6, 3, 3, 3]);
    expect(await counts("traffic=evaluation")).toEqual([3, 6, 3, 3, 3]);
    expect(await counts("traffic=all")).toEqual([6, 12, 6, 6, 6]);
    expect(await counts("run=r1")).toEqual([2, 4, 2, 2, 2]);
    expect(await counts("run=r1&traffic=evaluation")).toEqual([2, 4, 2, 2, 2]);
    expect(await counts("run=r2&traffic=all")).toEqual([1, 2, 1, 1, 1]);
    expect(await counts("run=r1&traffic=live")).toEqual([0, 0, 0, 0, 0]);
    expect(await counts("run=r1&spankind=EVALUATOR")).toEqual([1, 1, 1, 1, 1]);
  });

  it.each(["traffic=evaluation", "traffic=all", "run=r9"])(
    "of a run is announced to those who ask for %s",
    async (query) => {
      const path = `/observability/live/?${query}`;
      const stream = await openEventStream(platform.server.port, path);
      const n = 20 + query.length;
      await call(n, { run: "r9" });
      expect(await stream.next()).toMatchObject({
        event: "trace",
        data: { trace_id: traceIdOf(n) },
      });
      stream.close();
    },
  );

  it("that becomes a run's with a later span leaves the live tail", async () => {
    const stream = await openEventStream(platform.server.port, "/observability/live/");
    const traceId = traceIdOf(90);
    await platform.append([storedSpan({ traceId, id: spanIdOf(901), parentId: spanIdOf(900) })]);
    expect(await stream.next()).toMatchObject({ event: "trace", data: { trace_id: traceId } });
    await platform.append([storedSpan({ traceId, id: spanIdOf(900), run: "r1" })]);
    expect(await stream.next()).toEqual({ event: "unmatched", data: { trace_id: traceId } });
    stream.close();
  });

  it("of a run is read by its ids like any other", async () => {
    const path = `/observability/traces/${traceIdOf(3)}`;
    const { status, json } = await platform.get(path);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      name: "candidate",
      metadata: { attributes: { [AG.evaluationRun]: "r1" } },
    });
    expect((await platform.get(`/observability/spans/${spanIdOf(7)}`)).status).toBe(200);
  });

  it("must be one of three", async () => {
    const { status, json } = await platform.get("/observability/traces/?traffic=runs");
    expect(status).toBe(422);
    expect(json.detail).toMatchObject([{ type: "value_not_allowed", loc: ["query", "traffic"] }]);
  });
});
