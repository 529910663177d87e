import { createTelemetry } from "./create-telemetry.ts";
import { withEnvironment } from "./environment-options.ts";
import { type Telemetry, telemetrySlot } from "./telemetry.ts";
import type { TelemetryOptions } from "./telemetry-options.ts";

/** The one thing that a process has only one of: the telemetry of code that belongs to no app. */
const holder: { options: TelemetryOptions; telemetry: Telemetry | undefined } = {
  options: {},
  telemetry: undefined,
};

/** Sets how the process's own telemetry is made. It must come before the first traced call. */
export function configureTelemetry(options: TelemetryOptions): void {
  if (holder.telemetry !== undefined) {
    throw new Error(
      "ag.init() came too late: something has been traced already, with the settings of the environment. Call ag.init() first, in a module that is imported before the others.",
    );
  }
  holder.options = options;
}

/** The process's own telemetry, made when it is first asked for. */
export function defaultTelemetry(): Telemetry {
  holder.telemetry ??= createTelemetry(withEnvironment(holder.options));
  return holder.telemetry;
}

/** The telemetry of the app whose call is running, else the process's own. */
export function currentTelemetry(): Telemetry {
  return telemetrySlot.get() ?? defaultTelemetry();
}
