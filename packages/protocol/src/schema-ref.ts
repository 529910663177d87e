import { isRecord } from "./json-value.ts";

/** A JSON Schema, unvalidated. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Limits circular references. */
const MOST_REFERENCES = 32;

/** Follows references inside a schema. A schema that is not an object allows anything: `{}`. */
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
    found = isRecord(found) && Object.hasOwn(found, key) ? found[key] : undefined;
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
