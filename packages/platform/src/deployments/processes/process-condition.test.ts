import { describe, expect, it } from "vitest";
import {
  afterCheck,
  conditionOf,
  type HealthAnswer,
  NO_MISSES,
  Patience,
} from "./process-condition.ts";

const MB = 1024 ** 2;
const LIMITS = { blockedMs: 60_000, memoryBytes: 1000 * MB };

/** The condition after checks at these times. */
function conditionAfter(
  checks: readonly (readonly [at: number, answer: HealthAnswer])[],
  residentBytes?: number,
) {
  const misses = checks.reduce((before, [at, answer]) => afterCheck(before, answer, at), NO_MISSES);
  return conditionOf(misses, residentBytes, LIMITS, checks.at(-1)?.[0] ?? 0);
}

describe("a process that misses health checks", () => {
  it("is replaced after the second in a row", () => {
    expect(conditionAfter([[7_000, "missed"]])).toEqual({ kind: "well" });
    expect(
      conditionAfter([
        [7_000, "missed"],
        [12_000, "missed"],
      ]),
    ).toEqual({ kind: "unfit", reason: "has missed 2 health checks in a row" });
  });

  it("is well again after one answer", () => {
    expect(
      conditionAfter([
        [7_000, "missed"],
        [12_000, "missed"],
        [17_000, "answered"],
        [22_000, "missed"],
      ]),
    ).toEqual({ kind: "well" });
  });

  it("neither gains nor loses by checks that the platform could not make", () => {
    expect(
      conditionAfter([
        [7_000, "missed"],
        [12_000, "unknown"],
        [17_000, "unknown"],
      ]),
    ).toEqual({ kind: "well" });
    expect(
      conditionAfter([
        [7_000, "missed"],
        [12_000, "unknown"],
        [17_000, "missed"],
      ]),
    ).toMatchObject({ kind: "unfit" });
  });

  it("is killed 60 s after the first of them", () => {
    const before = [
      [7_000, "missed"],
      [12_000, "missed"],
    ] as const;
    expect(conditionAfter([...before, [66_999, "missed"]])).toMatchObject({ kind: "unfit" });
    expect(conditionAfter([...before, [67_000, "missed"]])).toEqual({
      kind: "hopeless",
      reason: "did not answer GET /health for 60 s",
    });
  });
});

describe("a process that uses much memory", () => {
  it.each([
    [1000 * MB, { kind: "well" }],
    [
      1000 * MB + 1,
      { kind: "unfit", reason: "uses 1000 MB of memory, more than its limit of 1000 MB" },
    ],
    [1250 * MB, { kind: "unfit" }],
    [
      1250 * MB + 1,
      {
        kind: "hopeless",
        reason: "uses 1250 MB of memory, more than 1.25 times its limit of 1000 MB",
      },
    ],
  ])("with %d bytes", (bytes, expected) => {
    expect(conditionAfter([[5_000, "answered"]], bytes)).toMatchObject(expected);
  });

  it("is left alone where there is no limit, and where the size is not known", () => {
    const unlimited = { ...LIMITS, memoryBytes: null };
    expect(conditionOf(NO_MISSES, 2 ** 50, unlimited, 0)).toEqual({ kind: "well" });
    expect(conditionAfter([[5_000, "answered"]], undefined)).toEqual({ kind: "well" });
  });
});

describe("the patience of a check", () => {
  it("lasts for its ticks", () => {
    const patience = new Patience(3, 100, 0);
    expect([100, 200, 300].map((now) => patience.tick(now))).toEqual([false, false, true]);
  });

  it("does not count ticks that come late by more than their own length", () => {
    const patience = new Patience(3, 100, 0);
    // 200 ms late in all, 100 of them for the last tick; then 101.
    expect([200, 401, 501].map((now) => patience.tick(now))).toEqual([false, false, false]);
    // As after a laptop's sleep.
    expect(patience.tick(1_000_000)).toBe(false);
    expect(patience.tick(1_000_100)).toBe(true);
  });
});
