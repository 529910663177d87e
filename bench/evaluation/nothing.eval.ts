import { evaluation } from "@agate/sdk/evals";
import { nothing } from "./nothing.ts";

evaluation("nothing", {
  route: nothing,
  testset: Array.from({ length: Number(process.env.CASES ?? 1_000) }, (_, n) => ({
    id: `case-${n}`,
    inputs: { n },
  })),
  scorers: { same: ({ inputs, output }) => inputs.n === output },
  gate: { scores: { same: { min: 1 } }, errors: { share: 0 } },
});
