import type { DeclaredEvaluation } from "@agate/protocol/evaluator";

/** An evaluation whose gate compares, of a route with three cases. */
export const labels: DeclaredEvaluation = {
  name: "labels",
  application: "tickets",
  route: "/label",
  testset: [{ inputs: "a" }, { inputs: "b" }, { inputs: "c" }],
  trials: 2,
  concurrency: 4,
  gate: { scores: { right: { min: 0.5, notWorseBy: 0.05 } }, errors: { share: 0 } },
  scorers: [{ name: "right", version: "1", kind: "code" }],
};
