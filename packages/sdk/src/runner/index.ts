// The table of contents of @agate/sdk/runner. docs/reference/sdk.md lists every name, compared by a test.
export { endWithParent } from "./end-with-parent.ts";
export { type RunOptions, run } from "./run.ts";
