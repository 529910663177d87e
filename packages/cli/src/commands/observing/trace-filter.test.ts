import { describe, expect, it } from "vitest";
import { spanRecord } from "./span-record.fixture.ts";
import type { FilterFlags } from "./trace-filter.ts";
import { passes, toQuery } from "./trace-filter.ts";

const span = spanRecord({
  name: "answer",
  environment: "production",
  variant: { variant_id: "var_1", variant_name: "default", revision: 3 },
  user_id: "u-17",
  spankind: "WORKFLOW",
  metadata: {
    application: "support",
    latency: 300,
    attributes: { "ag.route": "/answer" },
    total: { usage: null, cost: 0.02 },
  },
});

describe("filters", () => {
  it.each<[FilterFlags, boolean]>([
    [{}, true],
    [{ app: "support", environment: "production", status: "OK" }, true],
    [{ app: "support", environment: "staging" }, false],
    [{ variant: "default" }, true],
    [{ variant: "var_1" }, false],
    [{ route: "/answer", variant: "default", revision: 3 }, true],
    [{ route: "/" }, false],
    [{ revision: 2 }, false],
    [{ kind: "WORKFLOW", name: "answer", user: "u-17" }, true],
    [{ session: "s" }, false],
    [{ minLatency: 300, minCost: 0.02 }, true],
    [{ minLatency: 301 }, false],
    [{ minCost: 0.03 }, false],
  ])("%j let a followed trace through: %s", (flags, expected) => {
    expect(passes(flags, span)).toBe(expected);
  });

  it("become the parameters of the list, a time ago counted from now", () => {
    const now = Date.parse("2026-11-15T10:00:00Z");
    const query = toQuery({ user: "u", kind: "LLM", search: "refund", since: 3_600_000 }, now);
    expect(Object.fromEntries(Object.entries(query).filter(([, value]) => value))).toEqual({
      user_id: "u",
      spankind: "LLM",
      q: "refund",
      from: "2026-11-15T09:00:00.000Z",
    });
  });
});
