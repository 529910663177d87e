// The table of contents of @agate/sdk/runner. docs/reference/sdk.md lists every name, compared by a test.

export type { RunOptions } from "../app/program-app.ts";
export { serveEvaluator } from "../evaluator/serve-evaluator.ts";
export { endWithParent, run } from "./run.ts";
