import type { DeployStep } from "@agate/protocol";
import type { DeployProgress } from "../deployer.ts";
import { seconds } from "./seconds.ts";

/** Tells that a step has begun; gives what tells that it is done, with the time where nothing else is said. */
export function beginStep(progress: DeployProgress, step: DeployStep): (detail?: string) => void {
  const started = performance.now();
  progress.begun(step, "");
  return (detail = seconds(started)) => progress.done(step, detail);
}
