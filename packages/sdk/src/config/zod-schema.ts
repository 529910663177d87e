import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { ConfigField, ConfigOutcome, ConfigSchema } from "./config-schema.ts";
import type { Issue } from "./config-validation-error.ts";
import { DeclarationError } from "./declaration-error.ts";
import { createFieldReader, defaultsOf, MOST_ISSUES } from "./field-reader.ts";
import { zodMembers } from "./zod-field.ts";
import type { ZodNode } from "./zod-node.ts";
import { metaOf } from "./zod-node.ts";

const schemas = new WeakMap<ZodNode, ConfigSchema<object>>();

/** @throws DeclarationError when the schema, or a field of it, cannot be a configuration. */
export function zodSchema(declaration: ZodNode): ConfigSchema<object> {
  const known = schemas.get(declaration);
  if (known !== undefined) return known;
  const schema = readZodObject(declaration);
  schemas.set(declaration, schema);
  return schema;
}

function readZodObject(declaration: ZodNode): ConfigSchema<object> {
  const { title, id } = metaOf(declaration);
  const name = [title, id].find((text) => typeof text === "string") ?? "Config";
  const fields = fieldsOf(declaration, name);
  const read = createFieldReader(fields);
  return {
    name,
    fields,
    declaration,
    defaults: defaultsOf(fields),
    parse(values, options) {
      const { given, issues } = read(values, options);
      const isTold = issues.length >= MOST_ISSUES || issues[0]?.path.length === 0;
      if (isTold) return { kind: "invalid", issues };
      // zod reads a field from the prototype as well, where it would find `constructor`.
      const input = Object.create(null) as Record<string, unknown>;
      fields.forEach((field, index) => {
        if (given[index] !== undefined) input[field.name] = given[index];
      });
      const result = declaration["~standard"].validate(input);
      return result instanceof Promise
        ? result.then((settled) => outcomeOf(fields, issues, settled))
        : outcomeOf(fields, issues, result);
    },
  };
}

function fieldsOf(declaration: ZodNode, name: string): readonly ConfigField[] {
  const { type } = declaration._zod.def;
  if (type !== "object") {
    throw new DeclarationError(
      `${name} is a zod ${type}, and a configuration is an object. Write z.object({ ... }).`,
    );
  }
  const place = { owner: name, around: [declaration], isAlwaysThere: true };
  return zodMembers(place, declaration, undefined, (message) => {
    return new DeclarationError(`${name}: ${message}`);
  });
}

/**
 * Type, bounds and choices are this package's to judge, so that both ways of declaring a configuration
 * answer alike; from zod comes what only it knows, such as refinements.
 */
function outcomeOf(
  fields: readonly ConfigField[],
  issues: readonly Issue[],
  result: StandardSchemaV1.Result<unknown>,
): ConfigOutcome<object> {
  if (issues.length === 0 && result.issues === undefined) {
    return { kind: "valid", config: result.value as object };
  }
  const others = (result.issues ?? [])
    .map(customIssue)
    .filter(({ path }) => !issues.some((judged) => isWithin(path, judged.path)));
  const all = inFieldOrder(fields, [...issues, ...others]);
  return { kind: "invalid", issues: all.slice(0, MOST_ISSUES) };
}

function isWithin(path: Issue["path"], outer: Issue["path"]): boolean {
  return outer.every((key, index) => path[index] === key);
}

function customIssue({ path = [], message }: StandardSchemaV1.Issue): Issue {
  const keys = path.map((segment) => (typeof segment === "object" ? segment.key : segment));
  return {
    path: keys.map((key) => (typeof key === "symbol" ? String(key) : key)),
    message,
    type: "custom",
  };
}

/** What is wrong with the whole comes after the fields; fields that are not there come last. */
function inFieldOrder(fields: readonly ConfigField[], issues: readonly Issue[]): readonly Issue[] {
  const order = new Map<unknown, number>(fields.map(({ name }, index) => [name, index]));
  const rank = ({ path, type }: Issue) =>
    order.get(path[0]) ?? (type === "unknown_field" ? fields.length + 1 : fields.length);
  return issues.toSorted((left, right) => rank(left) - rank(right));
}
