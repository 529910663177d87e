/** A JSON Schema as far as the form reads it. Nothing about it is promised: a library wrote it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Every object inherits a `constructor`, and a field may be called that. */
export function ownValue<Value>(
  record: Readonly<Record<string, Value>>,
  key: string,
): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** A schema may refer to itself, and then to itself again. */
const MOST_REFERENCES = 32;

/** The schema that a reference inside of the document leads to; `true`, which takes anything, is `{}`. */
export function resolveSchema(root: JsonSchema, schema: unknown): JsonSchema {
  let found = schema;
  for (let followed = 0; followed < MOST_REFERENCES; followed++) {
    if (!isRecord(found)) return {};
    const { $ref: reference, ...beside } = found;
    if (typeof reference !== "string") return found;
    const target = lookUp(root, reference);
    // A description beside the reference is about this use of it.
    found = isRecord(target) ? { ...target, ...beside } : beside;
  }
  return {};
}

function lookUp(root: JsonSchema, reference: string): unknown {
  if (!reference.startsWith("#")) return undefined;
  let found: unknown = root;
  for (const step of reference.slice(1).split("/").filter(Boolean)) {
    const key = decoded(step).replaceAll("~1", "/").replaceAll("~0", "~");
    found = isRecord(found) ? ownValue(found, key) : undefined;
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
