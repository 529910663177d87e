import { describe, expect, it } from "vitest";
import { scoreOf } from "../api/score.fixture.ts";
import { ownRating, THUMBS, thumbOf, withGiven } from "./own-rating.ts";

const human = { kind: "human", evaluator: null, version: null, person: "ann" } as const;
const up = scoreOf({ span_id: "s1", name: THUMBS, value: 1, label: "up", source: human });
const down = { ...up, value: 0, label: "down" };

describe("a rating by the user", () => {
  it("replaces the one before, and nothing else", () => {
    const others = [
      scoreOf({ span_id: "s1" }),
      { ...up, span_id: null },
      { ...up, run: "nightly" },
      { ...up, source: { ...human, person: "ben" } },
      { ...up, source: { ...human, kind: "end_user" as const } },
      { ...up, source: { ...human, evaluator: "review" } },
    ];
    expect(withGiven([up, ...others], down)).toEqual([...others, down]);
    expect(withGiven(others, null)).toBe(others);
  });

  it("is found by its span and person", () => {
    const scores = [scoreOf({ span_id: "s1" }), up];
    expect(ownRating(scores, "s1", "ann")).toBe(up);
    expect(ownRating(scores, "s1", "ben")).toBeNull();
    expect(ownRating(scores, "s2", "ann")).toBeNull();
    expect(ownRating([{ ...up, name: "helpful" }], "s1", "ann")).toBeNull();
    expect(ownRating([{ ...up, source: { ...human, kind: "model" } }], "s1", "ann")).toBeNull();
  });

  it("is a thumb", () => {
    expect([thumbOf(up), thumbOf(down), thumbOf(null)]).toEqual(["up", "down", null]);
    expect(thumbOf({ ...up, status: "skipped", value: null })).toBeNull();
  });
});
