import { it } from "vitest";
import { killRounds } from "./kill-rounds.ts";

const ROUNDS = 3;

it(
  `keeps every acknowledged trace whole through ${ROUNDS} kills`,
  () => killRounds(ROUNDS),
  120_000,
);
