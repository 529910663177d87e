import type { BodyField, ParsedField } from "./body-fields.ts";

interface FieldDoc {
  readonly description: string;
  readonly example?: unknown;
}

function define<Value>(
  { description, example }: FieldDoc,
  schema: Record<string, unknown>,
  parse: (value: unknown) => ParsedField<Value>,
): BodyField<Value, true> {
  const examples = example === undefined ? {} : { examples: [example] };
  return { isRequired: true, schema: { ...schema, description, ...examples }, parse };
}

/** The same field where it may be left out. */
export function optional<Value>(field: BodyField<Value>): BodyField<Value, false> {
  return { ...field, isRequired: false };
}

export function textField(doc: FieldDoc, longest: number): BodyField<string, true> {
  return define(doc, { type: "string", maxLength: longest }, (value) =>
    typeof value === "string" && value.length <= longest
      ? { kind: "value", value }
      : { kind: "wrong", takes: `text of at most ${longest} characters` },
  );
}

/** A name of something: the registry says what is wrong with one that cannot be. */
export function nameField(doc: FieldDoc): BodyField<string, true> {
  return define(doc, { type: "string" }, (value) =>
    typeof value === "string" ? { kind: "value", value } : { kind: "wrong", takes: "text" },
  );
}

export function wholeNumberField(doc: FieldDoc, least: number): BodyField<number, true> {
  const schema = { type: "integer", minimum: least, maximum: Number.MAX_SAFE_INTEGER };
  return define(doc, schema, (value) =>
    typeof value === "number" && Number.isSafeInteger(value) && value >= least
      ? { kind: "value", value }
      : { kind: "wrong", takes: `a whole number from ${least}` },
  );
}

/** Any JSON: whoever it is for checks it. */
export function jsonField(
  doc: FieldDoc,
  schema: Record<string, unknown>,
): BodyField<unknown, true> {
  return define(doc, schema, (value) => ({ kind: "value", value }));
}
