import { type ErrorDetail, isRecord } from "@agate/protocol";
import { jsonFault } from "@agate/protocol/json-fault";

// What is wrong with a body. Loaded for the first such body.

/**
 * Why a body is not JSON. The messages of `JSON.parse` quote the body, which may hold values that are not
 * recorded.
 */
export function bodyFault(text: string): string {
  if (text.trim() === "") return "The body is empty. Send a JSON object.";
  const fault = jsonFault(text);
  if (fault === null) return "The body is not JSON.";
  return `The body is not JSON, at line ${fault.line}, column ${fault.column}: ${fault.problem}`;
}

/** All that is wrong with the fields around the inputs, of which `fields` are the known ones. */
export function envelopeFaults(body: unknown, fields: readonly string[]): ErrorDetail[] {
  if (!isRecord(body)) return [invalid([], `The body is a JSON object with ${listed(fields)}.`)];
  const faults = unknownFields(body, fields);
  const has = (field: string) => fields.includes(field) && Object.hasOwn(body, field);
  if (has("config") && !isRecord(body.config)) {
    faults.push(invalid(["config"], "The configuration is an object of field names and values."));
  }
  if (has("environment") && has("variant")) {
    faults.push(invalid(["variant"], "Give an environment or a variant, not both."));
  } else if (has("environment") && !isName(body.environment)) {
    faults.push(invalid(["environment"], 'An environment is its slug, such as "production".'));
  } else if (has("variant")) {
    faults.push(...variantFaults(body.variant));
  }
  return faults;
}

function variantFaults(variant: unknown): ErrorDetail[] {
  if (!isRecord(variant)) {
    const example = '{"slug": "concise", "revision": 3}';
    return [invalid(["variant"], `A variant is an object, such as ${example}.`)];
  }
  const faults = unknownFields(variant, ["slug", "revision"], ["variant"]);
  const { slug, revision = null } = variant;
  if (!isName(slug)) {
    faults.push(invalid(["variant", "slug"], 'A variant has a slug, such as "concise".'));
  } else if (revision !== null && !(Number.isSafeInteger(revision) && Number(revision) >= 1)) {
    faults.push(invalid(["variant", "revision"], "A revision is a whole number from 1."));
  }
  return faults;
}

function isName(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function invalid(path: readonly string[], msg: string): ErrorDetail {
  return { loc: ["body", ...path], msg, type: "body_invalid" };
}

function unknownFields(
  given: object,
  known: readonly string[],
  path: readonly string[] = [],
): ErrorDetail[] {
  const unknown = Object.keys(given).filter((key) => !known.includes(key));
  return unknown.map((key) => ({
    loc: ["body", ...path, key],
    msg: `There is no field ${JSON.stringify(key)} here. The fields are ${listed(known)}.`,
    type: "unknown_field",
  }));
}

function listed(fields: readonly string[]): string {
  const quoted = fields.map((field) => `"${field}"`);
  return `${quoted.slice(0, -1).join(", ")} and ${quoted.at(-1)}`;
}
