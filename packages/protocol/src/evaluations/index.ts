export type { GateSentence, JudgedRun } from "./gate-sentences.ts";
export { formatDifference, formatInterval, formatScore, gateSentences } from "./gate-sentences.ts";
export type { CaseDifference, ItemPlace, RunShape, TalliedResult } from "./run-tally.ts";
export { RunTally } from "./run-tally.ts";
