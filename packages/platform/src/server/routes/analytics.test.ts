import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  spanIdOf,
  storedSpan,
  traceIdOf,
  usageOf,
} from "../../stores/contract/stored-span.fixture.ts";
import type { TestPlatform } from "../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../testing/test-platform.fixture.ts";

const MINUTE = 60_000_000;
const NOW = Date.UTC(2026, 10, 1, 1, 0, 30);
let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform({ now: () => NOW });
  const figures = { role: "own", usage: usageOf(10, 5), cost: 0.25 } as const;
  await platform.append([
    storedSpan({ traceId: traceIdOf(1), id: spanIdOf(1), start: 0, latency: 10, figures }),
    storedSpan({
      traceId: traceIdOf(2),
      id: spanIdOf(2),
      start: MINUTE - 1,
      latency: 30,
      status: "ERROR",
      route: "/a",
    }),
    storedSpan({
      traceId: traceIdOf(3),
      id: spanIdOf(3),
      start: 3 * MINUTE,
      latency: null,
      application: "shop",
      route: "/a",
    }),
  ]);
});
afterAll(() => platform.close());

const at = (query: string) => platform.get(`/observability/analytics/?${query}`);
const RANGE = "from=2026-11-01T00:00:00Z&to=2026-11-01T00:04:00Z&interval=1m";

it("counts traces by bucket, empty ones included", async () => {
  const response = await at(RANGE);
  expect(response.status).toBe(200);
  const tokens = { input: 0, output: 0, total: 0 };
  const empty = {
    count: 0,
    errors: 0,
    cost: null,
    with_cost: 0,
    priced: { count: 0, cost: null },
    tokens,
    with_tokens: 0,
    latency: null,
  };
  const first = {
    count: 2,
    errors: 1,
    cost: 0.25,
    with_cost: 1,
    priced: { count: 1, cost: 0.25 },
    tokens: { input: 10, output: 5, total: 15 },
    with_tokens: 1,
    latency: { p50: 20, p95: 29, p99: 29.8 },
  };
  expect(response.json).toEqual({
    from: "2026-11-01T00:00:00.000Z",
    to: "2026-11-01T00:04:00.000Z",
    interval: "1m",
    total: { ...first, count: 3 },
    buckets: [
      { start: "2026-11-01T00:00:00.000Z", ...first },
      { ...empty, start: "2026-11-01T00:01:00.000Z" },
      { ...empty, start: "2026-11-01T00:02:00.000Z" },
      { ...empty, start: "2026-11-01T00:03:00.000Z", count: 1 },
    ],
  });
});

it("tells the figures of groups, each with all buckets, and how many are left out", async () => {
  const { buckets, total, groups, groups_left_out } = (await at(`${RANGE}&group_by=route`)).json;
  expect(groups_left_out).toBe(0);
  expect(groups).toMatchObject([
    { key: "/a", count: 2, errors: 1, cost: null, latency: { p50: 30 } },
    { key: null, count: 1, errors: 0, cost: 0.25, tokens: { total: 15 } },
  ]);
  const countsOf = (list: { count: number }[]) => list.map(({ count }) => count);
  expect(groups.map((group: { buckets: [] }) => countsOf(group.buckets))).toEqual([
    [1, 0, 0, 1],
    [1, 0, 0, 0],
  ]);
  const one = (await at(`${RANGE}&group_by=route&group_limit=1`)).json;
  expect(one).toEqual({ ...one, total, buckets, groups: [groups[0]], groups_left_out: 1 });
});

it("has no groups without group_by", async () => {
  const answer = (await at(`${RANGE}&group_limit=1&group_by=`)).json;
  expect(Object.keys(answer)).toEqual(["from", "to", "interval", "total", "buckets"]);
});

it("says what to do about too many buckets of groups", async () => {
  const day = "from=2026-11-01&to=2026-11-02&interval=5m&group_by=user_id";
  expect((await at(`${day}&group_limit=69`)).status).toBe(200);
  const refused = await at(`${day}&group_limit=70`);
  expect(refused.status).toBe(422);
  expect(refused.json.detail).toMatchObject([
    {
      loc: ["query", "interval"],
      type: "too_many_buckets",
      msg: "Gives 288 buckets for each of up to 70 groups; at most 285 are allowed. Take a longer interval, a shorter range or a smaller group_limit.",
    },
  ]);
});

it("takes the filters of the lists", async () => {
  const { buckets } = (await at(`${RANGE}&application=shop`)).json;
  expect(buckets.map(({ count }: { count: number }) => count)).toEqual([0, 0, 0, 1]);
});

it("widens the range to whole buckets", async () => {
  const { from, to, interval, buckets } = (
    await at("from=2026-11-01T00:00:59.999999Z&to=2026-11-01T00:03:00.000001Z&interval=60s")
  ).json;
  expect({ from, to, interval }).toEqual({
    from: "2026-11-01T00:00:00.000Z",
    to: "2026-11-01T00:04:00.000Z",
    interval: "1m",
  });
  expect(buckets).toHaveLength(4);
});

it("shows the last day up to now when nothing is said", async () => {
  const response = await platform.get("/observability/analytics");
  const { from, to, interval, buckets } = response.json;
  expect({ from, to, interval }).toEqual({
    from: "2026-10-31T01:00:00.000Z",
    to: "2026-11-01T01:15:00.000Z",
    interval: "15m",
  });
  expect(buckets.length).toBe(97);
  const counts = buckets.map(({ count }: { count: number }) => count);
  expect(counts.reduce((sum: number, count: number) => sum + count, 0)).toBe(3);
});

it("ends now when only a beginning is given, and spans a day when only an end is", async () => {
  expect((await at("from=2026-11-01T01:00:00Z")).json.to).toBe("2026-11-01T01:00:30.000Z");
  const { from, to } = (await at("to=2026-11-01T00:00:00Z")).json;
  expect([from, to]).toEqual(["2026-10-31T00:00:00.000Z", "2026-11-01T00:00:00.000Z"]);
});

it("begins with the first trace that the filters find", async () => {
  const whole = (await at("from=earliest&to=2026-11-01T00:04:00Z&interval=1m")).json;
  expect(whole.from).toBe("2026-11-01T00:00:00.000Z");
  expect(whole.buckets.map(({ count }: { count: number }) => count)).toEqual([2, 0, 0, 1]);
  const shop = (await at("from=earliest&application=shop")).json;
  expect([shop.from, shop.total.count]).toEqual(["2026-11-01T00:03:00.000Z", 1]);
  // None: as without a beginning.
  const none = (await at("from=earliest&application=nowhere")).json;
  expect([none.from, none.total.count]).toEqual(["2026-10-31T01:00:00.000Z", 0]);
});

describe("a bad parameter", () => {
  it.each([
    ["from=latest", "from", "date_time_invalid"],
    ["interval=5x", "interval", "interval_invalid"],
    ["interval=0m", "interval", "interval_invalid"],
    ["interval=m", "interval", "interval_invalid"],
    ["interval=1.5h", "interval", "interval_invalid"],
    ["interval=999999999d", "interval", "interval_invalid"],
    ["interval=1s", "interval", "too_many_buckets"],
    ["from=1970-01-01&interval=1d", "interval", "too_many_buckets"],
    ["from=2026-11-02T00:00:00Z&to=2026-11-01T00:00:00Z", "from", "time_range_invalid"],
    ["from=2026-12-01", "from", "time_range_invalid"],
    ["status=nope", "status", "value_not_allowed"],
    ["group_by=trace_id", "group_by", "value_not_allowed"],
    ["group_by=route&group_limit=0", "group_limit", "out_of_range"],
    ["group_by=route&group_limit=101", "group_limit", "out_of_range"],
    ["revision=0", "revision", "out_of_range"],
    ["revision=latest", "revision", "number_invalid"],
  ])("?%s", async (query, name, type) => {
    const response = await at(query);
    expect(response.status).toBe(422);
    expect(response.json.detail).toMatchObject([{ loc: ["query", name], type }]);
  });
});

it("copes with the longest range there is", async () => {
  const response = await at("from=1970-01-01&to=2254-12-31T23:59:59.999999Z");
  expect(response.status).toBe(200);
  expect(response.json.buckets.length).toBeLessThanOrEqual(101);
});
