import { environment } from "../runtime/environment.ts";
import type { TelemetryOptions } from "./telemetry-options.ts";

/** Options, where they are not given from the environment: `AGATE_BASE_URL` and so on. */
export function withEnvironment(options: TelemetryOptions): TelemetryOptions {
  return {
    ...options,
    baseUrl: options.baseUrl ?? environment("AGATE_BASE_URL"),
    apiKey: options.apiKey ?? environment("AGATE_API_KEY"),
    application: options.application ?? environment("AGATE_APPLICATION"),
    disabled: options.disabled ?? (isOn("AGATE_TELEMETRY_DISABLED") || isOn("OTEL_SDK_DISABLED")),
  };
}

function isOn(name: string): boolean {
  return ["1", "true"].includes(environment(name)?.toLowerCase() ?? "");
}
