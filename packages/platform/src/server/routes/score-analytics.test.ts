import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { storedScore } from "../../stores/contract/stored-score.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../../stores/contract/stored-span.fixture.ts";
import type { TestPlatform } from "../testing/test-platform.fixture.ts";
import { startTestPlatform, TEST_PROJECT } from "../testing/test-platform.fixture.ts";

const MINUTE = 60_000_000;
const NOW = Date.UTC(2026, 10, 1, 1, 0, 30);
let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform({ now: () => NOW });
  const span = (n: number, start: number, variant: string | null, revision: number | null) =>
    storedSpan({ traceId: traceIdOf(n), id: spanIdOf(n), start, variant, revision });
  await platform.append([
    span(1, 0, "default", 1),
    span(2, MINUTE - 1, "default", 2),
    span(3, 3 * MINUTE, null, null),
  ]);
  const scores = [
    storedScore({ id: "a", traceId: traceIdOf(1), value: 1, label: "yes" }),
    storedScore({ id: "b", traceId: traceIdOf(2), value: 0.5, kind: "model" }),
    storedScore({ id: "c", traceId: traceIdOf(3), value: null, status: "failed" }),
    storedScore({ id: "d", traceId: traceIdOf(3), value: null, status: "skipped" }),
    storedScore({ id: "e", traceId: traceIdOf(3), name: "safe", value: null, label: "fine" }),
  ];
  const outcome = await platform.store.putScores({ project: TEST_PROJECT, scores });
  expect(outcome).toEqual({ kind: "committed" });
});
afterAll(() => platform.close());

const at = (query: string) => platform.get(`/observability/analytics/scores/?${query}`);
const RANGE = "from=2026-11-01T00:00:00Z&to=2026-11-01T00:04:00Z&interval=1m";
const FIRST = "2026-11-01T00:00:00.000Z";
const LAST = "2026-11-01T00:03:00.000Z";
const NONE = { count: 0, skipped: 0, failed: 0, with_value: 0, mean: null };
const UNJUDGED = { ...NONE, skipped: 1, failed: 1 };
const JUDGED = { ...NONE, count: 2, with_value: 2, mean: 0.75 };

it("groups by what has judged, and leaves other sources out", async () => {
  const { json } = await at(`${RANGE}&group_by=source`);
  const [helpful] = json.names;
  expect(helpful.groups.map(({ key, mean }: { key: string; mean: number }) => [key, mean])).toEqual(
    [
      ["code", 1],
      ["model", 0.5],
    ],
  );
  const models = (await at(`${RANGE}&source=model`)).json.names;
  expect(models).toMatchObject([{ name: "helpful", count: 1, failed: 0, mean: 0.5 }]);
  expect((await at(`${RANGE}&source=robot`)).status).toBe(422);
});

it("tells the mean by name and time, and counts what was skipped or failed apart", async () => {
  const response = await at(RANGE);
  expect(response.status).toBe(200);
  const labelled = { ...NONE, count: 1 };
  expect(response.json).toEqual({
    from: FIRST,
    to: "2026-11-01T00:04:00.000Z",
    interval: "1m",
    names: [
      {
        name: "helpful",
        ...JUDGED,
        skipped: 1,
        failed: 1,
        labels: [{ label: "yes", count: 1 }],
        buckets: [
          { start: FIRST, ...JUDGED },
          { start: LAST, ...UNJUDGED },
        ],
      },
      {
        name: "safe",
        ...labelled,
        labels: [{ label: "fine", count: 1 }],
        buckets: [{ start: LAST, ...labelled }],
      },
    ],
    names_left_out: 0,
  });
});

it("tells the same by variant and by revision", async () => {
  const grouped = async (query: string) => {
    const { names, groups_left_out } = (await at(`${RANGE}&${query}`)).json;
    return { groups: names[0].groups, groups_left_out };
  };
  const judged = (mean: number) => {
    const figures = { ...NONE, count: 1, with_value: 1, mean };
    return { ...figures, buckets: [{ start: FIRST, ...figures }] };
  };
  const none = { ...UNJUDGED, buckets: [{ start: LAST, ...UNJUDGED }] };
  expect(await grouped("group_by=variant")).toEqual({
    // Most scores of any name first.
    groups: [
      { key: null, ...none },
      { key: "default", ...JUDGED, buckets: [{ start: FIRST, ...JUDGED }] },
    ],
    groups_left_out: 0,
  });
  expect(await grouped("group_by=revision&group_limit=2")).toEqual({
    groups: [
      { key: null, revision: null, ...none },
      { key: "default", revision: 1, ...judged(1) },
    ],
    groups_left_out: 1,
  });
});

it("takes the filters and the range of analytics", async () => {
  const total = async (query: string) => (await at(query)).json.names[0]?.count;
  expect(await total("revision=2")).toBe(1);
  expect(await total("score=helpful>0.5")).toBe(1);
  expect((await at("score=helpful:none")).json.names).toEqual([]);
  expect((await at("")).json).toMatchObject({ from: "2026-10-31T01:00:00.000Z", interval: "15m" });
  expect((await at("from=earliest")).json.from).toBe(FIRST);
});

describe("a bad parameter", () => {
  it.each([
    ["interval=5x", "interval", "interval_invalid"],
    ["interval=1s", "interval", "too_many_buckets"],
    ["from=2026-12-01", "from", "time_range_invalid"],
    ["group_by=trace_id", "group_by", "value_not_allowed"],
    ["group_by=route&group_limit=0", "group_limit", "out_of_range"],
    ["group_by=route&group_limit=21", "group_limit", "out_of_range"],
  ])("?%s", async (query, name, type) => {
    const response = await at(query);
    expect(response.status).toBe(422);
    expect(response.json.detail).toMatchObject([{ loc: ["query", name], type }]);
  });

  it("bounds the buckets of all groups together", async () => {
    const range = (minutes: number) => {
      const to = new Date(Date.UTC(2026, 10, 1, 0, minutes)).toISOString();
      return `from=2026-11-01T00:00:00Z&to=${to}&interval=1m&group_by=variant&group_limit=20`;
    };
    expect((await at(range(200))).status).toBe(200);
    const refused = await at(range(201));
    expect(refused.status).toBe(422);
    expect(refused.json.detail[0].msg).toMatch(/201 buckets .* 20 groups; at most 200/);
  });
});
