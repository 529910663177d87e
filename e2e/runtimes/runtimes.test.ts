import { describeRuntimes } from "./describe-runtimes.ts";

// Node is what all other tests run on; the rest is in the long test.
describeRuntimes(["bun", "deno-net", "workerd"], ({ short }) => short === true);
