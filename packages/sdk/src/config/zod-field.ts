import { isRecord } from "@agate/protocol";
import type { ConfigField, ConfigFieldKind, ConfigType, ObjectType } from "./config-schema.ts";
import type { DeclarationError } from "./declaration-error.ts";
import type { FieldPlace } from "./declared-field.ts";
import { declaredField, declaredValue, failureAt } from "./declared-field.ts";
import { createFieldReader } from "./field-reader.ts";
import type { ZodNode } from "./zod-node.ts";
import { type UnwrappedField, unwrapField } from "./zod-node.ts";
import { itemCounts, scalarType, zodBounds } from "./zod-scalar.ts";

const EXAMPLES: Readonly<Record<ConfigFieldKind, string>> = {
  str: 'z.string().default("...")',
  int: "z.int().default(0)",
  float: "z.number().default(0.5)",
  bool: "z.boolean().default(false)",
  choice: 'z.enum(["a", "b"]).default("a")',
  "grouped-choice": 'z.string().meta({ groups: { A: ["a"], B: ["b"] } }).default("a")',
  object: "z.object({ ... }).default({ ... })",
  list: "z.array(...).default([])",
  messages: 'ag.Messages({ default: [{ role: "system", content: "..." }] })',
};

/** The registry keeps configurations up to 32 levels deep; routes and the configuration are two of them. */
const MOST_LEVELS = 16;

/** Where in a configuration a zod schema stands. */
export interface ZodPlace {
  /** `Config.retrieval`, for messages. */
  readonly owner: string;
  /** The schemas around it: one that is in itself has no end. */
  readonly around: readonly ZodNode[];
  /** Whether what is around it is there in every configuration, so that it has to have a default. */
  readonly isAlwaysThere: boolean;
}

/**
 * The fields of a zod object, at any depth.
 *
 * @param defaults The object's own default: it counts before those of the fields.
 * @throws DeclarationError for an object that is not all that a configuration can be.
 */
export function zodMembers(
  at: ZodPlace,
  { _zod: { def } }: ZodNode,
  defaults: unknown,
  fail: (message: string) => DeclarationError,
): readonly ConfigField[] {
  if (def.shape === undefined) throw fail("The object has no fields. Write z.object({ ... }).");
  // `never` is the catch-all of a strict object.
  if (def.catchall !== undefined && def.catchall._zod.def.type !== "never") {
    throw fail(
      "It takes fields that it does not name, and a configuration has no others. Write z.object({ ... }).",
    );
  }
  const innermost = at.around.at(-1);
  if (innermost !== undefined && at.around.indexOf(innermost) < at.around.length - 1) {
    throw fail(
      "It contains itself, and a configuration has a fixed depth. Write out the levels that you need.",
    );
  }
  if (at.around.length > MOST_LEVELS) {
    throw fail(`It is nested more than ${MOST_LEVELS} levels deep. Use fewer levels.`);
  }
  const given = isRecord(defaults) ? defaults : {};
  return Object.freeze(
    Object.entries(def.shape).map(([name, node]) =>
      zodField(at, name, node, Object.hasOwn(given, name) ? given[name] : undefined),
    ),
  );
}

/**
 * A field of a zod object.
 *
 * @param given What the default of an object around it says; undefined where it says nothing.
 * @throws DeclarationError that says which field is declared wrongly and what to write.
 */
function zodField(at: ZodPlace, name: string, node: ZodNode, given?: unknown): ConfigField {
  const place: FieldPlace = {
    owner: at.owner,
    name,
    example: (kind) => `${name}: ${EXAMPLES[kind]}`,
  };
  const fail = failureAt(place);
  // zod leaves such a key out of what it returns.
  if (name === "__proto__") throw fail("zod ignores a key of this name. Choose another.");
  const unwrapped = unwrapField(node);
  const value = given === undefined ? unwrapped.default : given;
  const absence = absenceOf(at, unwrapped);
  const type = typeOf(at, name, unwrapped, {
    value,
    isAlwaysThere: value === undefined ? absence === undefined : isRecord(value),
  });
  const field = declaredField(place, {
    type,
    options: { ...optionsOf(unwrapped), default: completed(type, value, unwrapped) },
    isNullable: unwrapped.isNullable,
    ...(absence !== undefined && { absence }),
  });
  // As a call would have it: zod looks into prototypes, and the reader leaves none where that matters.
  const [initial = field.default] = createFieldReader([field])(
    {},
    { unknownFields: "ignore" },
  ).given;
  const problem = defaultProblem(node, initial);
  if (problem !== undefined) {
    throw fail(`Its own default is not valid. ${problem} Choose a default that it takes.`);
  }
  return field;
}

function absenceOf({ isAlwaysThere }: ZodPlace, { isOptional }: UnwrappedField) {
  if (isOptional) return "optional";
  return isAlwaysThere ? undefined : "required";
}

/** What the default of an object says of its fields, and whether the object is always there. */
interface ObjectDefault {
  readonly value: unknown;
  readonly isAlwaysThere: boolean;
}

function typeOf(
  { owner, around }: ZodPlace,
  name: string,
  unwrapped: UnwrappedField,
  { value, isAlwaysThere }: ObjectDefault,
): unknown {
  const { inner } = unwrapped;
  const { type, element } = inner._zod.def;
  const fail = failureAt({ owner, name });
  const inside = { owner: `${owner}.${name}`, around: [...around, inner] };
  if (type === "object") {
    const fields = zodMembers({ ...inside, isAlwaysThere }, inner, value, fail);
    return { kind: "object", fields };
  }
  if (type === "array" && element !== undefined) {
    const items = zodItem({ ...inside, isAlwaysThere: false }, element);
    return { kind: "list", items, ...itemCounts(unwrapped.checks) };
  }
  return scalarType(unwrapped, fail);
}

/** What a list takes as each of its items. */
function zodItem(at: ZodPlace, node: ZodNode): ConfigType {
  const unwrapped = unwrapField(node);
  const nothing = { value: undefined, isAlwaysThere: false };
  return declaredValue(
    { owner: at.owner, name: "[]" },
    {
      type: typeOf(at, "[]", unwrapped, nothing),
      options: optionsOf(unwrapped),
      isNullable: unwrapped.isNullable,
    },
  );
}

function optionsOf({ inner, checks, meta }: UnwrappedField) {
  const { title, description } = meta;
  return { title, description, ...zodBounds(inner, checks) };
}

/**
 * An object's default with those of its fields; an object whose fields all have one needs none of its
 * own. What its default has beside its fields stays there, to be refused.
 */
function completed(type: unknown, value: unknown, { isOptional }: UnwrappedField): unknown {
  const { kind, fields } = type as ObjectType;
  if (kind !== "object") return value;
  const hasOwn = isRecord(value);
  const isAbsent = value === undefined && !isOptional && fields.every((field) => !field.isRequired);
  if (!hasOwn && !isAbsent) return value;
  const defaults = fields.filter((field) => field.default !== undefined);
  return {
    ...(hasOwn ? value : {}),
    ...Object.fromEntries(defaults.map((field) => [field.name, field.default])),
  };
}

/** What zod's own checks, such as `.min(1)` of a string, say about a default: zod itself never asks. */
function defaultProblem(node: ZodNode, value: unknown): string | undefined {
  // A refinement may be anything, a call over the network as well: not while modules are loaded.
  if (value === undefined || hasRefinement(node)) return undefined;
  const result = node["~standard"].validate(value);
  if (!(result instanceof Promise)) return result.issues?.[0]?.message;
  // A check that throws makes zod try again in its own time. It will throw at the first call as well,
  // where a client waits for the response.
  result.catch(() => undefined);
  return undefined;
}

/** Whether a schema, or one inside of it, has a check that is a function of its author. */
function hasRefinement({ _zod: { def } }: ZodNode): boolean {
  return (
    (def.checks ?? []).some(({ _zod: { def: check } }) => check.check === "custom") ||
    [def.innerType, def.element, ...(def.options ?? []), ...Object.values(def.shape ?? {})].some(
      (inner) => inner !== undefined && hasRefinement(inner),
    )
  );
}
