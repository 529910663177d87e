import { jsonFault } from "@agate/protocol/json-fault";

/** A text read as JSON. */
export type JsonReading =
  | { readonly kind: "value"; readonly value: unknown }
  | {
      readonly kind: "broken";
      /** `message` is "Line 3, column 7: …". */
      readonly fault: { readonly message: string; readonly position: number };
    };

/** Reads JSON. The message of a fault is the same in every browser. */
export function readJson(text: string): JsonReading {
  const fault = jsonFault(text);
  if (fault === null) return { kind: "value", value: JSON.parse(text) };
  const { position, line, column, problem } = fault;
  const message = `Line ${line}, column ${column}: ${problem}`;
  return { kind: "broken", fault: { message, position } };
}
