import { AGATE_ATTRIBUTES } from "@agate/protocol";
import type { Attributes } from "@opentelemetry/api";
import { defaultResource, resourceFromAttributes } from "@opentelemetry/resources";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { environment } from "../runtime/environment.ts";

/** What the spans of a process come from, by OpenTelemetry's environment variables and the app's name. */
export function telemetryResource(application: string | undefined): ReadableSpan["resource"] {
  const attributes = parseAttributes(environment("OTEL_RESOURCE_ATTRIBUTES") ?? "");
  const serviceName = environment("OTEL_SERVICE_NAME") ?? attributes["service.name"] ?? application;
  if (serviceName !== undefined) attributes["service.name"] = serviceName;
  if (application !== undefined) attributes[AGATE_ATTRIBUTES.application] = application;
  return defaultResource()
    .merge(resourceFromAttributes(language()))
    .merge(resourceFromAttributes(attributes));
}

// OpenTelemetry's packages say `webjs` in the form that runs everywhere, which is ours.
function language(): Attributes {
  const { process } = globalThis as { process?: { versions?: { node?: string } } };
  return process?.versions?.node === undefined ? {} : { "telemetry.sdk.language": "nodejs" };
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
