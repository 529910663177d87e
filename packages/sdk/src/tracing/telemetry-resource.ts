import { AGATE_ATTRIBUTES } from "@agate/protocol";
import type { Attributes } from "@opentelemetry/api";
import { SDK_INFO } from "@opentelemetry/core";
import { environment } from "../runtime/environment.ts";

/** The part of OpenTelemetry's `Resource` that is written. */
export interface TelemetryResource {
  readonly attributes: Attributes;
  readonly schemaUrl?: string;
  /** Resources of an existing set-up may look their attributes up. */
  readonly asyncAttributesPending?: boolean;
  waitForAsyncAttributes?(): Promise<void>;
}

/** What the spans of a process come from, by OpenTelemetry's environment variables and the app's name. */
export function telemetryResource(application: string | undefined): TelemetryResource {
  const attributes = parseAttributes(environment("OTEL_RESOURCE_ATTRIBUTES") ?? "");
  const serviceName = environment("OTEL_SERVICE_NAME") ?? attributes["service.name"] ?? application;
  if (serviceName !== undefined) attributes["service.name"] = serviceName;
  if (application !== undefined) attributes[AGATE_ATTRIBUTES.application] = application;
  return { attributes: { ...defaultAttributes(), ...attributes } };
}

function defaultAttributes(): Attributes {
  const { process } = globalThis as { process?: { versions?: { node?: string } } };
  const isNode = process?.versions?.node !== undefined;
  return {
    "service.name": "unknown_service",
    // OpenTelemetry's packages say `webjs` in the form that runs everywhere, which is ours.
    "telemetry.sdk.language": isNode ? "nodejs" : SDK_INFO["telemetry.sdk.language"],
    "telemetry.sdk.name": SDK_INFO["telemetry.sdk.name"],
    "telemetry.sdk.version": SDK_INFO["telemetry.sdk.version"],
  };
}

// `key1=value1,key2=value2`, with percent-encoded values. What is not of that form is left out.
function parseAttributes(text: string): Attributes {
  const attributes: Attributes = {};
  for (const pair of text.split(",")) {
    const [key, value, ...rest] = pair.split("=").map((part) => part.trim());
    if (!key || value === undefined || rest.length > 0) continue;
    attributes[key] = decoded(value);
  }
  return attributes;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
