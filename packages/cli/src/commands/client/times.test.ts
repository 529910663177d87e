import { expect, it } from "vitest";
import { formatTime, timeCell, timeInFull } from "./times.ts";

const now = Date.parse("2026-11-15T10:05:00Z");
const time = "2026-11-15T10:03:12.123456Z";

it("shows a time in UTC without fractions", () => {
  expect(formatTime(time)).toBe("2026-11-15 10:03:12Z");
  expect(formatTime("nonsense")).toBe("–");
});

it("shows the age on a terminal, and the time in a pipe", () => {
  const cell = (columns: number | undefined) => timeCell({ terminal: { columns }, now }, time);
  expect(cell(80)).toBe("1 min ago");
  expect(cell(undefined)).toBe("2026-11-15 10:03:12Z");
  expect(timeCell({ terminal: { columns: 80 }, now }, null)).toBe("–");
  expect(timeInFull({ now }, time)).toBe("2026-11-15 10:03:12Z (1 min ago)");
});
