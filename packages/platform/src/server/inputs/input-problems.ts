import { mustBe, shownValue } from "@agate/protocol";
import * as z from "zod/mini";
import type { Problem } from "../answer.ts";
import { listed } from "../answer.ts";

type Issue = z.core.$ZodIssue;
type Fields = Readonly<Record<string, z.core.$ZodType>>;

/** What zod has against the parameters of a path or a query, one problem for each parameter. */
export function parameterProblems(
  where: "path" | "query",
  { shape }: { readonly shape: Fields },
  issues: readonly Issue[],
  given: Readonly<Record<string, string>>,
): Problem[] {
  return firstOfEach(issues).map(([name, issue]) => {
    const schema = shape[name] as z.core.$ZodType;
    return { ...parameterProblem(schema, issue, given[name]), loc: [where, name] };
  });
}

function parameterProblem(
  schema: z.core.$ZodType,
  issue: Issue,
  given: string | undefined,
): Pick<Problem, "type" | "msg"> {
  if (given === undefined) {
    return { type: "value_not_allowed", msg: `Must be given. ${descriptionOf(schema)}` };
  }
  const inner = checkedPart(schema);
  switch (issue.code) {
    case "custom":
      return { type: issue.params?.type as Problem["type"], msg: issue.message };
    case "invalid_value":
      return {
        type: "value_not_allowed",
        msg: mustBe(listed(issue.values.map(String), "or"), shownValue(given)),
      };
    case "invalid_type":
      return {
        type: "number_invalid",
        msg: mustBe(isWhole(inner) ? allowedBy(inner) : "a number", shownValue(given)),
      };
    default:
      return inner._zod.def.type === "string"
        ? {
            type: "text_too_long",
            msg: mustBe(`${boundsOf(inner).most} characters or fewer`, String(given.length)),
          }
        : { type: "out_of_range", msg: mustBe(allowedBy(inner), given) };
  }
}

/** What zod has against a body, one problem for each field; those that do not exist come last. */
export function bodyProblems(
  schema: z.core.$ZodType,
  issues: readonly Issue[],
  body: unknown,
): Problem[] {
  const shape: Fields = schema instanceof z.ZodMiniObject ? schema.shape : {};
  const names = Object.keys(shape);
  if (issues.some(({ code, path }) => code === "invalid_type" && path.length === 0)) {
    const msg = mustBe(`an object with ${fieldList(names)}`, shownValue(body));
    return [{ type: "body_invalid", loc: ["body"], msg }];
  }
  const known = issues.filter(({ code }) => code !== "unrecognized_keys");
  return [
    ...firstOfEachField(known).map((issue) => {
      const given = valueAt(body, issue.path);
      const field = schemaAt(schema, issue.path);
      const msg =
        given === undefined
          ? `Must be given. ${descriptionOf(field)}`
          : fieldFault(field, issue, given);
      return fieldProblem(issue.path, msg);
    }),
    ...issues.flatMap((issue) =>
      issue.code === "unrecognized_keys" ? unknownFields(schema, issue) : [],
    ),
  ];
}

function fieldFault(field: z.core.$ZodType, issue: Issue, given: unknown): string {
  // A message that came with a type is whole.
  if (issue.code === "custom" && issue.params?.type !== undefined) return issue.message;
  const rule = issue.code === "custom" ? issue.message : allowedBy(checkedPart(field));
  return mustBe(rule, shownValue(given));
}

function unknownFields(
  schema: z.core.$ZodType,
  { path, keys }: Issue & { readonly code: "unrecognized_keys" },
): Problem[] {
  const object = checkedPart(schemaAt(schema, path));
  const names = object instanceof z.ZodMiniObject ? Object.keys(object.shape) : [];
  return keys.map((name) =>
    fieldProblem([...path, name], `There is no such field. The fields are ${fieldList(names)}.`),
  );
}

type Path = readonly PropertyKey[];

function fieldProblem(path: Path, msg: string): Problem {
  const steps = path.map((step) => (typeof step === "number" ? step : String(step)));
  return { type: "body_invalid", loc: ["body", ...steps], msg };
}

/** The first issue of each field, at any depth. */
function firstOfEachField(issues: readonly Issue[]): Issue[] {
  const found = new Map<string, Issue>();
  for (const issue of issues) {
    const field = JSON.stringify(issue.path);
    if (!found.has(field)) found.set(field, issue);
  }
  return [...found.values()];
}

function valueAt(body: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, step) => Object(value)[step], body);
}

/** The schema of what is at a path: of a field of an object, or of an item of a list. */
function schemaAt(schema: z.core.$ZodType, path: Path): z.core.$ZodType {
  return path.reduce<z.core.$ZodType>((outer, step) => {
    const part = checkedPart(outer);
    if (part instanceof z.ZodMiniObject) return part.shape[String(step)] ?? outer;
    return part instanceof z.ZodMiniArray ? part._zod.def.element : outer;
  }, schema);
}

/** The first issue of each field, by the name of the field. */
function firstOfEach(issues: readonly Issue[]): readonly [string, Issue][] {
  const found = new Map<string, Issue>();
  for (const issue of issues) {
    const [field] = issue.path;
    if (field !== undefined && !found.has(String(field))) found.set(String(field), issue);
  }
  return [...found];
}

/** "a whole number from 1 to 1000" */
function allowedBy(schema: z.core.$ZodType): string {
  const { least, most } = boundsOf(schema);
  switch (schema._zod.def.type) {
    case "string":
      return most === undefined ? "text" : `text of at most ${most} characters`;
    case "boolean":
      return "true or false";
    case "array":
      return most === undefined ? "a list" : `a list of ${least} to ${most}`;
    case "record":
    case "object":
      return "an object";
    default:
      if (!isWhole(schema)) return `${least} or more`;
      return most === undefined
        ? `a whole number, ${least} or more`
        : `a whole number from ${least} to ${most}`;
  }
}

interface Bounds {
  readonly least?: unknown;
  readonly most?: unknown;
}

/** Of a number its values, of a text its length. */
function boundsOf(schema: z.core.$ZodType): Bounds {
  return Object.assign({}, ...(schema._zod.def.checks ?? []).map(boundOf));
}

function boundOf(check: z.core.$ZodCheck): Bounds {
  const { def } = (check as z.core.$ZodChecks)._zod;
  switch (def.check) {
    case "max_length":
      return { most: def.maximum };
    case "min_length":
      return { least: def.minimum };
    case "less_than":
      return { most: def.value };
    case "greater_than":
      return { least: def.value };
    default:
      return {};
  }
}

function isWhole(schema: z.core.$ZodType): boolean {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return "format" in def && def.format === "safeint";
}

function descriptionOf(schema: z.core.$ZodType): string {
  const own = z.globalRegistry.get(schema)?.description;
  if (own !== undefined) return own;
  const inner = partOf(schema);
  return inner === undefined ? "" : descriptionOf(inner);
}

/** The part of a schema that has the bounds: without what makes it optional or reads its text. */
function checkedPart(schema: z.core.$ZodType): z.core.$ZodType {
  const inner = partOf(schema);
  return inner === undefined ? schema : checkedPart(inner);
}

function partOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "optional":
    case "nullable":
    case "default":
      return def.innerType;
    case "pipe":
      return (def.in as z.core.$ZodTypes)._zod.def.type === "transform" ? def.out : def.in;
    default:
      return undefined;
  }
}

function fieldList(names: readonly string[]): string {
  return listed(names, "and");
}
