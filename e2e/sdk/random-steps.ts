import * as fc from "fast-check";

/** Something that a workflow does between looking at its own context. */
export const STEPS = [
  "microtask",
  "immediate",
  "timer",
  "nested",
  "generator",
  "block",
  "block-with-callback",
  "route",
  "parallel",
] as const;

export type Step = (typeof STEPS)[number];

/** What each of many calls does, by one seed: a failure can be run again. */
export function randomPlans(calls: number, seed: number): Step[][] {
  const plan = fc.array(fc.constantFrom(...STEPS), { minLength: 1, maxLength: 6 });
  return fc.sample(plan, { numRuns: calls, seed });
}

/** Lets others run in between, in one of the ways there are. */
export function pause(step: Step, turn: number): Promise<unknown> {
  switch (step) {
    case "immediate":
      return new Promise((resolve) => setImmediate(resolve));
    case "timer":
      return new Promise((resolve) => setTimeout(resolve, turn % 3));
    default:
      return Promise.resolve();
  }
}
