import { isRecord } from "@agate/protocol";
import { ownField } from "../config-form/config-values.ts";

/** A JSON Schema, unvalidated. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Limits circular references. */
const MOST_REFERENCES = 32;

/** Follows references inside the document. The schema `true`, which allows anything, is `{}`. */
export function resolveSchema(root: JsonSchema, schema: unknown): JsonSchema {
  let found = schema;
  for (let followed = 0; followed < MOST_REFERENCES; followed++) {
    if (!isRecord(found)) return {};
    const { $ref: reference, ...beside } = found;
    if (typeof reference !== "string") return found;
    const target = lookUp(root, reference);
    // Keywords beside the reference override it.
    found = isRecord(target) ? { ...target, ...beside } : beside;
  }
  return {};
}

function lookUp(root: JsonSchema, reference: string): unknown {
  if (!reference.startsWith("#")) return undefined;
  let found: unknown = root;
  for (const step of reference.slice(1).split("/").filter(Boolean)) {
    const key = decoded(step).replaceAll("~1", "/").replaceAll("~0", "~");
    found = isRecord(found) ? ownField(found, key) : undefined;
  }
  return found;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const DEEPEST = 5;

/** An initial value of the right shape: required fields, all empty. */
export function skeletonOf(root: JsonSchema, schema: unknown, depth = 0): unknown {
  const { default: initial, ...resolved } = resolveSchema(root, schema);
  if (initial !== undefined) return initial;
  // For a route without an input schema, the SDK puts the parameters of the function into `examples`.
  if (Array.isArray(resolved.examples) && resolved.type === undefined) return resolved.examples[0];
  if (Object.hasOwn(resolved, "const")) return resolved.const;
  if (Array.isArray(resolved.enum)) return resolved.enum[0] ?? null;
  const branches = resolved.anyOf ?? resolved.oneOf;
  if (Array.isArray(branches) && depth < DEEPEST) return skeletonOf(root, branches[0], depth + 1);
  const [type] = [resolved.type].flat();
  switch (type) {
    case "string":
      return "";
    case "number":
    case "integer":
      return typeof resolved.minimum === "number" && resolved.minimum > 0 ? resolved.minimum : 0;
    case "boolean":
      return false;
    case "array":
      return [];
    case "null":
      return null;
    default:
      return requiredProperties(root, resolved, depth);
  }
}

function requiredProperties(root: JsonSchema, schema: JsonSchema, depth: number): unknown {
  const { properties, required } = schema;
  if (!isRecord(properties) || !Array.isArray(required) || depth >= DEEPEST) return {};
  return Object.fromEntries(
    required.flatMap((name: unknown) =>
      typeof name === "string" && Object.hasOwn(properties, name)
        ? [[name, skeletonOf(root, properties[name], depth + 1)]]
        : [],
    ),
  );
}
