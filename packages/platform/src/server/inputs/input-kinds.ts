import { choiceList, SLUG_SCHEMA } from "@agate/protocol";
import * as z from "zod/mini";
import type { Problem } from "../answer.ts";

/** What the OpenAPI document says about an input; an input that is missing is explained by it, too. */
export interface InputDoc {
  readonly description: string;
  readonly example?: unknown;
}

export type Parsed<Value> =
  | { readonly kind: "value"; readonly value: Value }
  | { readonly kind: "problem"; readonly type: Problem["type"]; readonly msg: string };

type JsonSchema = Readonly<Record<string, unknown>>;

const LONGEST_TEXT = 1000;

/** Describes a schema, and adds to its JSON Schema what zod cannot know. */
export function documented<Schema extends z.ZodMiniType>(
  schema: Schema,
  { description, example }: InputDoc,
  added: JsonSchema = {},
): Schema {
  const examples = example === undefined ? {} : { examples: [example] };
  return schema.check(z.meta({ ...added, description, ...examples }));
}

/** Text up to a number of characters. */
export function text(doc: InputDoc, longest = LONGEST_TEXT) {
  return documented(z.string().check(z.maxLength(longest)), doc);
}

/** Text whose rules are checked by what it is for: a slug, an id. */
export function name(doc: InputDoc) {
  return documented(z.string(), doc);
}

/** The slug of something new, which is checked by what it is for. */
export function newSlug(doc: InputDoc) {
  return documented(z.string(), doc, SLUG_SCHEMA);
}

/** One of a few words. */
export function choice<const Choices extends readonly string[]>(doc: InputDoc, choices: Choices) {
  return documented(z.enum(choices), doc);
}

/** True or false in a body. */
export function flag(doc: InputDoc) {
  return documented(z.boolean(), doc);
}

/** A whole number in a body. */
export function wholeNumber(doc: InputDoc, least: number) {
  return documented(z.int().check(z.minimum(least)), doc);
}

/** A whole number in a query or a path, between two bounds that are both allowed. */
export function integer(doc: InputDoc, { least, most }: { least: number; most: number }) {
  const number = z.int().check(z.minimum(least), z.maximum(most));
  return documented(z.pipe(numberIn(/^[+-]?\d+$/), number), doc);
}

/** A number from 0 up in a query. */
export function amount(doc: InputDoc) {
  const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
  return documented(z.pipe(numberIn(decimal), z.number().check(z.minimum(0))), doc);
}

/** Text that is no such number stays text, which the schema behind it refuses. */
function numberIn(pattern: RegExp) {
  return z.transform((given: unknown) => {
    const number = typeof given === "string" && pattern.test(given) ? Number(given) : Number.NaN;
    return Number.isFinite(number) ? number : given;
  });
}

/** Text that a function reads: where it cannot, the problem is its own. */
export function parsed<Value>(
  doc: InputDoc,
  schema: JsonSchema,
  parse: (given: string) => Parsed<Value>,
) {
  const read = z.transform((given: string, context): Value => {
    const outcome = parse(given);
    if (outcome.kind === "value") return outcome.value;
    const { type, msg } = outcome;
    context.issues.push({ code: "custom", input: given, message: msg, params: { type } });
    return z.NEVER;
  });
  return documented(z.pipe(z.string(), read), doc, schema);
}

/** A value that passes a check. @param rule What it must be: "a list of …". */
export function matching<Value>(
  doc: InputDoc,
  schema: JsonSchema,
  rule: string,
  isValid: (value: unknown) => value is Value,
) {
  return documented(z.custom<Value>(isValid, rule), doc, schema);
}

/** One of a few words, in a body. */
export function oneOf<const Choice extends string>(doc: InputDoc, choices: readonly Choice[]) {
  return matching(
    doc,
    { type: "string", enum: choices },
    choiceList(choices),
    (value): value is Choice => choices.some((choice) => choice === value),
  );
}

/** Any JSON, which is checked by what it is for. */
export function json(doc: InputDoc, schema: JsonSchema) {
  return documented(z.unknown(), doc, schema);
}

/** A field of a body that may be absent or null; null stands for both. */
export function orNull<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.pipe(
    z.nullish(schema),
    z.transform((given: z.output<Schema> | null | undefined) => given ?? null),
  );
}
