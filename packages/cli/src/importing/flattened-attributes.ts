import { isRecord } from "@agate/protocol";

/** Attributes of OpenInference whose value is an object, written as JSON. */
const JSON_TEXT =
  /(?:^|\.)(?:metadata|value|invocation_parameters|json_schema|arguments|variables|parameters)$/;
const MOST_LEVELS = 16;

/**
 * Objects and lists of objects as attributes: `{"llm": {"input_messages": [{"message.role": "user"}]}}` is
 * `llm.input_messages.0.message.role`, as instrumentations of OpenInference write it.
 */
export function flattened(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const found = new Map<string, unknown>();
  for (const [name, value] of Object.entries(values)) add(found, name, value, 0);
  return Object.fromEntries(found);
}

function add(found: Map<string, unknown>, name: string, value: unknown, level: number): void {
  const isList = Array.isArray(value);
  if (value === null || value === undefined) return;
  if (!isList && !isRecord(value)) {
    found.set(name, value);
  } else if (level >= MOST_LEVELS || (!isList && JSON_TEXT.test(name))) {
    found.set(name, JSON.stringify(value));
  } else if (isList && !value.some(isRecord)) {
    found.set(name, value);
  } else {
    for (const [key, member] of Object.entries(value)) {
      add(found, `${name}.${key}`, member, level + 1);
    }
  }
}
