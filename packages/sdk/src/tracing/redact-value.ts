import type { Secrets } from "./secrets.ts";

/** A copy without secrets of what may be in a span: texts, lists, plain objects and errors. */
export function redactValue<T>(value: T, secrets: Secrets): T;
export function redactValue(value: unknown, secrets: Secrets): unknown {
  if (typeof value === "string") return secrets.redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => redactValue(item, secrets));
  if (value instanceof Error) return redactError(value, secrets);
  if (value instanceof Date || ArrayBuffer.isView(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([key, item]) => [key, redactValue(item, secrets)]));
}

function redactError({ name, message, stack, ...rest }: Error, secrets: Secrets): object {
  return redactValue({ name, message, stack, code: (rest as { code?: unknown }).code }, secrets);
}
