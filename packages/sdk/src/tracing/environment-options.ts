import { applicationSetting, environment, setting } from "../runtime/environment.ts";
import type { TelemetryOptions } from "./telemetry-options.ts";

/** Options, where they are not given from the environment: `AGATE_BASE_URL` and so on. */
export function withEnvironment(options: TelemetryOptions): TelemetryOptions {
  return {
    ...options,
    baseUrl: setting(options.baseUrl, "AGATE_BASE_URL"),
    apiKey: setting(options.apiKey, "AGATE_API_KEY"),
    application: applicationSetting(options.application),
    disabled: options.disabled ?? (isOn("AGATE_TELEMETRY_DISABLED") || isOn("OTEL_SDK_DISABLED")),
  };
}

function isOn(name: string): boolean {
  return ["1", "true"].includes(environment(name)?.toLowerCase() ?? "");
}
