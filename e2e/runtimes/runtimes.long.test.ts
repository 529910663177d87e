import { describeRuntimes } from "./describe-runtimes.ts";
import { RUNTIMES, type RuntimeId } from "./runtimes.ts";

describeRuntimes(Object.keys(RUNTIMES) as RuntimeId[]);
