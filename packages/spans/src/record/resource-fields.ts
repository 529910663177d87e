import { AGATE_ATTRIBUTES as AG } from "@agate/protocol";
import { attributesText, quoted } from "../dialects/json-text.ts";
import type { Attributes, OtlpResource, OtlpScope } from "../otlp-span.ts";
import { numberOf } from "../otlp-span.ts";

/** What a resource says of every span that it sent, for the fields a span does not fill itself. */
export interface ResourceFields {
  /** The resource's attributes as JSON. */
  readonly text: string;
  readonly application: string | null;
  readonly environment: string | null;
  readonly variantId: string | null;
  readonly variantName: string | null;
  readonly revision: number | null;
}

/** Reads a resource. Do it once for all of its spans. */
export function resourceFields(resource: OtlpResource): ResourceFields {
  const { attributes } = resource;
  return {
    text: attributesText(attributes),
    application:
      firstText(attributes, [AG.application, "openinference.project.name"]) ??
      serviceName(attributes),
    environment: firstText(attributes, [
      AG.environment,
      "langfuse.environment",
      "deployment.environment.name",
      "deployment.environment",
    ]),
    variantId: firstText(attributes, [AG.variantId]),
    variantName: firstText(attributes, [AG.variantName]),
    revision: numberOf(attributes.get(AG.revision) ?? null),
  };
}

/** The JSON of a scope; `null` when it says nothing. Do it once for all of its spans. */
export function scopeText(scope: OtlpScope): string {
  const { name, version, attributes, schemaUrl, droppedAttributesCount } = scope;
  if (name === "" && version === "" && attributes.size === 0 && schemaUrl === "") return "null";
  let text = `{"name":${quoted(name)},"version":${version === "" ? "null" : quoted(version)}`;
  text += `,"attributes":${attributesText(attributes)}`;
  if (schemaUrl !== "") text += `,"schema_url":${quoted(schemaUrl)}`;
  if (droppedAttributesCount > 0) text += `,"dropped_attributes_count":${droppedAttributesCount}`;
  return `${text}}`;
}

function firstText(attributes: Attributes, names: readonly string[]): string | null {
  for (const name of names) {
    const value = attributes.get(name);
    if (typeof value === "string" && value !== "") return value;
  }
  return null;
}

// An SDK that was not told its service's name makes one up, `unknown_service:node`.
function serviceName(attributes: Attributes): string | null {
  const name = firstText(attributes, ["service.name"]);
  return name?.startsWith("unknown_service") ? null : name;
}
