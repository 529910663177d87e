import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { whereFilter, whereText } from "./filter-sql.ts";

describe("whereText", () => {
  it("asks the index for whole words, and the row for phrases and beginnings", () => {
    expect(whereText('Refund "order 7-42" ship* "left köl*"')).toEqual({
      text: "hasAllTokens(words, {indexed:Array(String)}) AND position(words, {sought0:String}) > 0 AND position(words, {sought1:String}) > 0 AND position(words, {sought2:String}) > 0",
      parameters: {
        indexed: ["refund", "order", "7", "42", "left", "kol"],
        sought0: " order 7 42 ",
        sought1: " ship",
        sought2: " left kol ",
      },
    });
    expect(whereText("begin*")).toEqual({
      text: "position(words, {sought0:String}) > 0",
      parameters: { sought0: " begin" },
    });
    expect(whereText("( ) *")).toBeUndefined();
  });

  it("leaves no word out, however many there are", () => {
    const words = Array.from({ length: 90 }, (_, n) => `w${n}`);
    const { parameters } = whereText(words.join(" ")) ?? { parameters: {} };
    const asked = Object.values(parameters)
      .flat()
      .map((word) => String(word).trim());
    expect(asked.toSorted()).toEqual(words.toSorted());
  });
});

describe("conditions", () => {
  it("never hold what was asked for, only its place", () => {
    const text = fc.string({ unit: fc.constantFrom("'", "\\", "x7", "}", "{", ";"), minLength: 1 });
    fc.assert(
      fc.property(text, (value) => {
        const { text: sql, parameters } = whereFilter({ table: (name) => name }, "traces", {
          name: value,
          userId: value,
          route: value,
        });
        expect(sql).toBe(
          "TRUE AND user_id = {userId:String} AND route = {route:String} AND name = {name:String}",
        );
        expect(parameters).toEqual({ name: value, userId: value, route: value });
        expect(whereText(`x7 ${value}`)?.text).not.toContain("x7");
      }),
    );
  });
});
