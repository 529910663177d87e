import { describe, expect, it } from "vitest";
import { MOST_CASES, moreCasesNeeded, smallestMargin } from "./case-counts.ts";
import { differenceInterval } from "./difference-interval.ts";
import { seeded } from "./simulated-runs.fixture.ts";

const equal = (count: number) => differenceInterval(Array(count).fill(0));

describe("the number of further cases", () => {
  it("shrinks as cases come, and is 0 when they suffice", () => {
    const more = moreCasesNeeded(0.02, equal(10)) as number;
    expect(more).toBeGreaterThan(150);
    expect(moreCasesNeeded(0.02, equal(10 + 50))).toBe(more - 50);
    expect(moreCasesNeeded(0.02, equal(10 + more))).toBe(0);
    expect(moreCasesNeeded(0.02, equal(10 + more - 1))).toBe(1);
  });

  it("is the smallest that suffices, whatever was observed", () => {
    const random = seeded(8);
    for (let round = 0; round < 60; round++) {
      const differences = Array.from({ length: 2 + Math.floor(random() * 20) }, () =>
        Math.round(2 * random() - 1),
      );
      const observed = differenceInterval(differences);
      const margin = random() * 0.6;
      const more = moreCasesNeeded(margin, observed);
      if (more === undefined || more === 0) continue;
      const grown = (cases: number) => moreCasesNeeded(margin, { ...observed, cases });
      expect(grown(observed.cases + more)).toBe(0);
      for (let fewer = 1; fewer <= Math.min(more, 40); fewer++) {
        expect(grown(observed.cases + more - fewer)).toBe(fewer);
      }
    }
  });

  it("leads to a failure where the difference is beyond the margin", () => {
    const observed = differenceInterval([-1, 0, 0, 0, 0, -1, 0, 0]);
    expect(moreCasesNeeded(0.02, observed)).toBeGreaterThan(0);
    expect(moreCasesNeeded(0.4, observed)).toBeGreaterThan(0);
    const onTheMargin = differenceInterval([-0.5, 0]);
    expect(moreCasesNeeded(0.25, onTheMargin)).toBeUndefined();
  });

  it("is not told from a single case", () => {
    expect(moreCasesNeeded(0.02, equal(0))).toBeUndefined();
    expect(moreCasesNeeded(0.02, equal(1))).toBeUndefined();
    expect(moreCasesNeeded(0.02, equal(2))).toBeGreaterThan(0);
  });

  it("is told up to a million", () => {
    const observed = { ...equal(2), deviation: 0.5 };
    // (1.96 + 0.84)² × 0.25 / margin²
    expect(moreCasesNeeded(0.00141, observed)).toBeGreaterThan(0.9 * MOST_CASES);
    expect(moreCasesNeeded(0.00139, observed)).toBeUndefined();
    expect(moreCasesNeeded(1e-12, observed)).toBeUndefined();
  });
});

it("names the smallest margin, which equal columns pass and a smaller one does not", () => {
  for (const count of [1, 2, 10, 200, 5000]) {
    const { low } = equal(count);
    expect(smallestMargin(count)).toBeCloseTo(-low, 14);
  }
  expect(smallestMargin(10)).toBeCloseTo(0.271, 3);
  expect(smallestMargin(200)).toBeCloseTo(0.0138, 4);
});
