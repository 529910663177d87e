import { expect, it } from "vitest";
import { KnownTexts } from "./known-texts.ts";

it("knows a text of the same trace, short or long", () => {
  const known = new KnownTexts<number>();
  for (const text of ["", "short", "x".repeat(40), "x".repeat(41), "x".repeat(42)]) {
    expect(known.add(1, text), text).toBe(true);
    expect(known.add(1, text), text).toBe(false);
    expect(known.add(2, text), text).toBe(true);
  }
  known.forget(1);
  expect(known.add(1, "short")).toBe(true);
  expect(known.add(2, "short")).toBe(false);
  known.forgetAll();
  expect(known.add(2, "short")).toBe(true);
});

it("forgets the trace that was asked for longest ago where there are too many texts", () => {
  const known = new KnownTexts<number>(3);
  for (const trace of [1, 2, 3]) known.add(trace, "text");
  expect(known.add(1, "text")).toBe(false);
  known.add(1, "more");
  // The second was forgotten, and takes the place of the third.
  expect(known.add(1, "text")).toBe(false);
  expect(known.add(2, "text")).toBe(true);
  expect(known.add(1, "more")).toBe(false);
  expect(known.add(3, "text")).toBe(true);
});

it("forgets all texts of a trace that alone has too many", () => {
  const known = new KnownTexts<number>(2);
  for (const text of ["a", "b", "c"]) expect(known.add(1, text)).toBe(true);
  expect(known.add(1, "c")).toBe(false);
  expect(known.add(1, "a")).toBe(true);
});
