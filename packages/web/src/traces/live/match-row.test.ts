import { describe, expect, it } from "vitest";
import type { TraceFilters } from "../traces-search.ts";
import { matchRow } from "./match-row.ts";
import { rowOf } from "./trace-row.fixture.ts";

const ROW = rowOf({
  name: "answer",
  kind: "LLM",
  status: "ERROR",
  startedAt: "2026-11-15T10:00:00.500000Z",
  latency: 1500,
  cost: 0.02,
  application: "shop",
  route: "/answer",
  variant: "default",
  revision: 3,
  environment: "production",
  userId: "ada",
});

describe("whether a trace that arrives belongs to the list", () => {
  it.each<[TraceFilters, string]>([
    [{}, "yes"],
    [{ application: "shop", variant: "default", environment: "production" }, "yes"],
    [{ status: "ERROR", spankind: "LLM", name: "answer", user_id: "ada", route: "/answer" }, "yes"],
    [{ application: "shop", status: "OK" }, "no"],
    [{ name: "Answer" }, "no"],
    [{ variant: "default", revision: "3" }, "yes"],
    [{ revision: "4" }, "no"],
    [{ min_latency: "1500", min_cost: "0.02" }, "yes"],
    [{ min_latency: "1500.1" }, "no"],
    [{ min_cost: "0.03" }, "no"],
    // A span below the top may say so.
    [{ session_id: "s-1" }, "unknown"],
    [{ session_id: "s-1", status: "OK" }, "no"],
    // Which words are in it is not in the record.
    [{ q: "agate" }, "unknown"],
    [{ q: "agate", application: "mill" }, "no"],
  ])("%j: %s", (filters, match) => {
    expect(matchRow(ROW, filters, {})).toBe(match);
  });

  it("takes the revision from the span that names the variant", () => {
    expect(matchRow(rowOf(), { revision: "3" }, {})).toBe("unknown");
    expect(matchRow(rowOf({ variant: "default" }), { revision: "3" }, {})).toBe("no");
  });

  it("is no where a least is asked of what nobody knows", () => {
    expect(matchRow(rowOf(), { min_cost: "0" }, {})).toBe("no");
    expect(matchRow(rowOf(), { min_latency: "0" }, {})).toBe("no");
  });

  it.each([
    [{ from: "2026-11-15T10:00:00.500Z" }, "yes"],
    [{ from: "2026-11-15T10:00:00.501Z" }, "no"],
    [{ to: "2026-11-15T10:00:00.500Z" }, "no"],
    [{ to: "2026-11-15T12:00:01+02:00" }, "yes"],
  ])("in the range %j: %s", (bounds, match) => {
    expect(matchRow(ROW, {}, bounds)).toBe(match);
  });
});
