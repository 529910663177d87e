import type { LiveBuild } from "../../registry/registry.ts";
import type { StartFailure } from "../build-process.ts";
import { soon } from "../processes/supervision-event.ts";
import type { StartableBuild } from "./application-host.ts";

/** A build that should serve here and could not be started. It is tried again. */
export interface DelayedBuild {
  readonly wanted: LiveBuild;
  /** What goes on meanwhile: another build, or the same under its old name. */
  readonly serving: StartableBuild;
  readonly failure: StartFailure;
  readonly inMs: number;
}

/** As the application's log shows it, among the lines of the build that is wanted. */
export function describeDelay({ wanted, serving, failure, inMs }: DelayedBuild): string {
  const goesOn =
    serving.id === wanted.build.id
      ? "Goes on as it was started before: it could not be started anew."
      : `Build ${serving.number} goes on: this one could not be started.`;
  return `${goesOn} ${failure.reason} It is tried again ${soon(inMs)}.`;
}
