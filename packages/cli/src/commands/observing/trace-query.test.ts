import { describe, expect, it } from "vitest";
import { toQuery } from "./trace-query.ts";

describe("filters", () => {
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
