import type { Parsed, QueryParameter } from "./query-parameter.ts";

interface Naming {
  readonly name: string;
  readonly description: string;
  readonly aliases?: readonly string[];
  readonly example?: unknown;
}

const LONGEST_TEXT = 1000;

function value<Value>(given: Value): Parsed<Value> {
  return { kind: "value", value: given };
}

function define<Value>(
  { example, ...naming }: Naming,
  schema: Record<string, unknown>,
  parse: (text: string) => Parsed<Value>,
): QueryParameter<Value> {
  const shown = example === undefined ? schema : { ...schema, examples: [example] };
  return { ...naming, schema: shown, parse };
}

/** Any text. */
export function textParameter(naming: Naming, longest = LONGEST_TEXT): QueryParameter<string> {
  return define(naming, { type: "string", maxLength: longest }, (text) =>
    text.length <= longest
      ? value(text)
      : {
          kind: "problem",
          type: "text_too_long",
          msg: `Takes at most ${longest} characters, not ${text.length}.`,
        },
  );
}

/** One of a few words. */
export function choiceParameter<Choice extends string>(
  naming: Naming,
  choices: readonly Choice[],
): QueryParameter<Choice> {
  return define(naming, { type: "string", enum: choices }, (text) => {
    const choice = choices.find((known) => known === text);
    return choice !== undefined
      ? value(choice)
      : {
          kind: "problem",
          type: "value_not_allowed",
          msg: `Takes ${listed(choices)}, not ${quoted(text)}.`,
        };
  });
}

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** A number from 0 up. */
export function amountParameter(naming: Naming): QueryParameter<number> {
  return define(naming, { type: "number", minimum: 0 }, (text) => {
    const number = DECIMAL.test(text) ? Number(text) : Number.NaN;
    if (!Number.isFinite(number)) {
      return {
        kind: "problem",
        type: "number_invalid",
        msg: `Takes a number, not ${quoted(text)}.`,
      };
    }
    return number >= 0
      ? value(number)
      : { kind: "problem", type: "out_of_range", msg: `Takes a number from 0 up, not ${text}.` };
  });
}

/** A whole number between two bounds, both allowed. */
export function integerParameter(
  naming: Naming,
  bounds: { readonly least: number; readonly most: number; readonly default?: number },
): QueryParameter<number> {
  const { least, most, ...shown } = bounds;
  const schema = { type: "integer", minimum: least, maximum: most, ...shown };
  return define(naming, schema, (text) => {
    const allowed = `a whole number from ${least} to ${most}`;
    if (!/^[+-]?\d+$/.test(text)) {
      return {
        kind: "problem",
        type: "number_invalid",
        msg: `Takes ${allowed}, not ${quoted(text)}.`,
      };
    }
    const number = Number(text);
    return number >= least && number <= most
      ? value(number)
      : { kind: "problem", type: "out_of_range", msg: `Takes ${allowed}, not ${text}.` };
  });
}

function listed(choices: readonly string[]): string {
  return choices.length === 1
    ? `only ${choices[0]}`
    : `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;
}

/** What a client sent, cut short: an answer does not echo a megabyte. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text);
}
