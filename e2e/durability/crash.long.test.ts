import { it } from "vitest";
import { killRounds } from "./kill-rounds.ts";

/** Kills of one data directory, which grows from round to round; and how many of those. */
const ROUNDS = Number(process.env.AGATE_CRASH_ROUNDS ?? 20);
const DIRECTORIES = 3;

it.each(Array.from({ length: DIRECTORIES }, (_, n) => n + 1))(
  `keeps every acknowledged trace whole through ${ROUNDS} kills (directory %i of ${DIRECTORIES})`,
  () => killRounds(ROUNDS),
);
