import { describe, expect, it } from "vitest";
import { toQuery } from "./trace-query.ts";

describe("filters", () => {
  it("become the parameters of the list, a time ago counted from now", () => {
    const now = Date.parse("2026-11-15T10:00:00Z");
    const evaluated = { traffic: "evaluation", run: "r1" } as const;
    const flags = {
      user: "u",
      kind: "LLM",
      search: "refund",
      score: "helpful<0.5",
      since: 3_600_000,
    } as const;
    const query = toQuery({ ...flags, ...evaluated }, now);
    expect(Object.fromEntries(Object.entries(query).filter(([, value]) => value))).toEqual({
      user_id: "u",
      spankind: "LLM",
      ...evaluated,
      score: "helpful<0.5",
      q: "refund",
      from: "2026-11-15T09:00:00.000Z",
    });
  });
});
