import { isValidSpanId, isValidTraceId } from "@opentelemetry/api";
import { afterEach, expect, test, vi } from "vitest";
import { randomId } from "./random-ids.ts";

afterEach(() => vi.restoreAllMocks());

test("ids are valid for OpenTelemetry, and all different", () => {
  const traces = Array.from({ length: 5_000 }, () => randomId(16));
  const spans = Array.from({ length: 5_000 }, () => randomId(8));
  expect(traces.every(isValidTraceId)).toBe(true);
  expect(spans.every(isValidSpanId)).toBe(true);
  expect(new Set([...traces, ...spans]).size).toBe(10_000);
});

test("every digit of an id takes every value", () => {
  const ids = Array.from({ length: 2_000 }, () => randomId(16));
  for (let place = 0; place < 32; place++) {
    expect(new Set(ids.map((id) => id[place])).size).toBe(16);
  }
});

test("bytes below 16 keep their zero, and an id of zeros alone is drawn again", () => {
  const draws = [0, 0, 0x01020304 / 2 ** 32, 0xffffffff / 2 ** 32];
  vi.spyOn(Math, "random").mockImplementation(() => draws.shift() as number);
  expect(randomId(8)).toBe("01020304ffffffff");
});
