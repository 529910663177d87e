import fc from "fast-check";
import { expect, it } from "vitest";
import type { TraceName } from "./trace-sample.ts";
import { TraceSample } from "./trace-sample.ts";

const many: readonly TraceName[] = Array.from({ length: 500 }, (_, n) => ({
  project: `project-${n % 3}`,
  traceId: n.toString(16).padStart(32, "0"),
}));

function sampleOf(size: number, seed: string, traces: readonly TraceName[]): Set<TraceName> {
  const sample = new TraceSample(size, seed);
  for (const trace of traces) sample.offer(trace);
  return new Set(sample.traces);
}

it("is the same for the same traces, in any order, however often, and taken up again", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 40 }),
      fc.array(fc.constantFrom(...many.slice(0, 60)), { maxLength: 200 }),
      fc.nat(),
      (size, offered, cut) => {
        const distinct = [...new Set(offered)];
        const wanted = sampleOf(size, "seed", distinct);
        expect(wanted.size).toBe(Math.min(size, distinct.length));
        const half = cut % (offered.length + 1);
        const first = new TraceSample(size, "seed");
        for (const trace of offered.slice(half)) first.offer(trace);
        const second = new TraceSample(size, "seed", first.traces);
        for (const trace of offered.slice(0, half)) second.offer(trace);
        expect(new Set(second.traces)).toEqual(wanted);
      },
    ),
  );
});

it("is another one with another seed, and leaves no part of the traces out", () => {
  const seen = new Set<string>();
  for (let seed = 0; seed < 60; seed++) {
    for (const { traceId } of sampleOf(50, String(seed), many)) seen.add(traceId);
  }
  // Each of 500 is missed by 60 samples of a tenth with a chance of 0.9^60, so about one of them.
  expect(seen.size).toBeGreaterThan(480);
});
