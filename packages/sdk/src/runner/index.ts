// The table of contents of @agate/sdk/runner. docs/reference/sdk.md lists every name, compared by a test.
export { serveEvaluator } from "../evaluator/serve-evaluator.ts";
export { endWithParent, type RunOptions, run } from "./run.ts";
