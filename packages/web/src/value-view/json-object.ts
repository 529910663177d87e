export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A text, or null for anything else. */
export function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
