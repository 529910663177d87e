import type { Problem } from "../errors/error-answer.ts";

export type Parsed<Value> =
  | { readonly kind: "value"; readonly value: Value }
  | { readonly kind: "problem"; readonly type: Problem["type"]; readonly msg: string };

/** A query parameter: what it means, for the OpenAPI document, and how its text is read. */
export interface QueryParameter<Value> {
  readonly name: string;
  /** Other names it is accepted under. */
  readonly aliases?: readonly string[];
  /** A request without it is refused. */
  readonly required?: boolean;
  readonly description: string;
  /** JSON Schema. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly parse: (text: string) => Parsed<Value>;
}

export type QueryParameters = Readonly<Record<string, QueryParameter<unknown>>>;

type ValueOf<Parameter> = Parameter extends QueryParameter<infer Value> ? Value : never;

export type QueryValues<Parameters extends QueryParameters> = {
  -readonly [Key in keyof Parameters as Parameters[Key] extends { required: true }
    ? Key
    : never]: ValueOf<Parameters[Key]>;
} & {
  -readonly [Key in keyof Parameters as Parameters[Key] extends { required: true }
    ? never
    : Key]?: ValueOf<Parameters[Key]>;
};

export type QueryOutcome<Parameters extends QueryParameters> =
  | { readonly kind: "values"; readonly values: QueryValues<Parameters> }
  | { readonly kind: "problems"; readonly problems: readonly [Problem, ...Problem[]] };

/**
 * Reads these parameters; all problems are reported at once. An empty value counts as absent, of a
 * repeated parameter the last counts, and parameters nobody asked for are ignored.
 */
export function readQuery<Parameters extends QueryParameters>(
  parameters: Parameters,
  query: URLSearchParams,
): QueryOutcome<Parameters> {
  const values: Record<string, unknown> = {};
  const problems: Problem[] = [];
  for (const [key, { name, aliases = [], required, description, parse }] of Object.entries(
    parameters,
  )) {
    let isGiven = false;
    for (const spelling of [...aliases, name]) {
      const text = query.getAll(spelling).at(-1);
      if (text === undefined || text === "") continue;
      isGiven = true;
      const parsed = parse(text);
      if (parsed.kind === "value") values[key] = parsed.value;
      else problems.push({ type: parsed.type, loc: ["query", spelling], msg: parsed.msg });
    }
    if (required === true && !isGiven) {
      const msg = `Must be given. ${description}`;
      problems.push({ type: "value_not_allowed", loc: ["query", name], msg });
    }
  }
  const [first, ...others] = problems;
  return first === undefined
    ? { kind: "values", values: values as QueryValues<Parameters> }
    : { kind: "problems", problems: [first, ...others] };
}
