import { type Attributes, diag } from "@opentelemetry/api";

/** Returns a copy of an attribute's value; undefined where the value is not valid. */
type CopyValue = (value: unknown) => unknown;

/** What became of an attribute: "full" where there are as many as the limit allows. */
type Outcome = "added" | "replaced" | "full" | "invalid" | "absent";

/** Adds a copy of an attribute, by the rules of OpenTelemetry's SDK. */
export function addAttribute(
  attributes: Attributes,
  key: string,
  value: unknown,
  hasRoom: boolean,
  copyValue: CopyValue = copyAnyValue,
): Outcome {
  if (value === undefined) return "absent";
  // A program without types may pass something else as the name.
  const isNamed = typeof key === "string" && key !== "";
  const isNew = !Object.hasOwn(attributes, key);
  if (isNew && !hasRoom && isNamed) return "full";
  const copy = isNamed ? (typeof value === "string" ? value : copyValue(value)) : undefined;
  if (copy === undefined) {
    diag.warn(`Invalid attribute value set for key: ${key}`);
    return "invalid";
  }
  attributes[key] = copy as Attributes[string];
  return isNew ? "added" : "replaced";
}

/** A copy of what is valid among attributes, up to a limit; nothing where none are given. */
export function copyAttributes(
  given: Attributes | undefined,
  limit: number,
  copyValue?: CopyValue,
): { attributes?: Attributes; droppedAttributesCount?: number } {
  if (typeof given !== "object" || given === null) return {};
  const attributes: Attributes = {};
  let count = 0;
  let droppedAttributesCount = 0;
  for (const [key, value] of Object.entries(given)) {
    const outcome = addAttribute(attributes, key, value, count < limit, copyValue);
    if (outcome === "added") count += 1;
    else if (outcome !== "absent") droppedAttributesCount += 1;
  }
  return { attributes, droppedAttributesCount };
}

/** Of texts, numbers, booleans, bytes and null, and of lists and plain objects of them. */
function copyAnyValue(value: unknown, above: Set<object> = new Set()): unknown {
  if (isScalar(value) || value === null || value instanceof Uint8Array) return value;
  // A value that contains itself has no end.
  if (typeof value !== "object" || above.has(value)) return undefined;
  above.add(value);
  const copy = Array.isArray(value) ? copyList(value, above) : copyObject(value, above);
  above.delete(value);
  return copy;
}

function copyList(items: readonly unknown[], above: Set<object>): unknown {
  const copies: unknown[] = [];
  for (const item of items) {
    const copy = copyAnyValue(item, above);
    if (copy === undefined && item !== undefined) return undefined;
    copies.push(copy);
  }
  return copies;
}

function copyObject(object: object, above: Set<object>): unknown {
  if (object.constructor !== Object && object.constructor !== undefined) return undefined;
  const copies: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(object)) {
    if (item === undefined) continue;
    const copy = copyAnyValue(item, above);
    if (copy === undefined) return undefined;
    copies[key] = copy;
  }
  return copies;
}

/** Of texts, numbers and booleans, and of lists of one of them: what an event may have. */
export function copySimpleValue(value: unknown): unknown {
  if (!Array.isArray(value)) return isScalar(value) ? value : undefined;
  const items = value.filter((item) => item !== null && item !== undefined);
  const isSimple = items.every((item) => isScalar(item) && typeof item === typeof items[0]);
  return isSimple ? [...value] : undefined;
}

function isScalar(value: unknown): boolean {
  const type = typeof value;
  return type === "string" || type === "number" || type === "boolean";
}
