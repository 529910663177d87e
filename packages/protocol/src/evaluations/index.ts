export type { CaseDifference, ItemPlace, RunShape, TalliedResult } from "./run-tally.ts";
export { RunTally } from "./run-tally.ts";
