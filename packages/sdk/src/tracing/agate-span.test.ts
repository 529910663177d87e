import { expect, it } from "vitest";
import { TraceClock } from "./agate-span.ts";

it("tells apart what happens within a millisecond, and never runs backwards", () => {
  const clock = new TraceClock();
  const times = Array.from({ length: 5_000 }, () => clock.now());
  const micros = times.map(([seconds, nanos]) => seconds * 1e6 + nanos / 1e3);
  expect(micros.every((time, n) => n === 0 || time >= micros[n - 1]!)).toBe(true);
  const within = new Set(micros.filter((time) => time - micros[0]! < 1_000));
  expect(within.size).toBeGreaterThan(1);
  expect(Math.abs(micros[0]! / 1e3 - Date.now())).toBeLessThan(60_000);
  expect(times.every(([, nanos]) => nanos >= 0 && nanos <= 1e9)).toBe(true);
});
