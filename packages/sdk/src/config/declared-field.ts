import { shownValue } from "@agate/protocol";
import type {
  Bounds,
  ConfigField,
  ConfigFieldKind,
  ConfigType,
  ListType,
  ObjectType,
} from "./config-schema.ts";
import { DeclarationError } from "./declaration-error.ts";
import { createFieldReader } from "./field-reader.ts";
import { messagesType } from "./messages.ts";

/** A field as it was declared, with a BaseModel or with zod; not checked yet. */
export interface FieldDraft {
  readonly type: unknown;
  readonly options: Readonly<Record<string, unknown>>;
  readonly isNullable?: boolean;
  /** What it may do without a default; otherwise it needs one. */
  readonly absence?: "optional" | "required";
}

/** Which field of which configuration a message is about, and how its author writes things. */
export interface FieldPlace {
  readonly owner: string;
  readonly name: string;
  /** What to write for a field of this kind: the missing default is where most declarations fail. */
  example(kind: ConfigFieldKind): string;
}

const OPTIONS: ReadonlySet<string> = new Set([
  "default",
  "ge",
  "le",
  "gt",
  "lt",
  "title",
  "description",
]);

/** @throws DeclarationError that says which field is wrong and what to write. */
export function declaredField(place: FieldPlace, draft: FieldDraft): ConfigField {
  const fail = failureAt(place);
  const type = declaredValue(place, draft);
  const { default: value } = draft.options;
  if (value === undefined && draft.absence === undefined) {
    throw fail(`Every field needs a default. Write ${place.example(type.kind)}.`);
  }
  const field: ConfigField = {
    ...type,
    name: place.name,
    default: value,
    ...(value === undefined && draft.absence === "required" ? { isRequired: true } : {}),
  };
  // The default is checked by the same rules as any other value.
  const { issues } = createFieldReader([field])(Object.fromEntries([[field.name, value]]), {
    unknownFields: "refuse",
  });
  const [problem] = issues;
  if (problem !== undefined) {
    const where = problem.path.length > 1 ? `At ${problem.path.slice(1).join(".")}: ` : "";
    throw fail(
      `Its own default is not valid. ${where}${problem.message} Choose a default that it takes.`,
    );
  }
  return Object.freeze(field);
}

/** What a field or an item of a list takes. */
export function declaredValue(
  place: Pick<FieldPlace, "owner" | "name">,
  { type, options, isNullable = false }: FieldDraft,
): ConfigType {
  const fail = failureAt(place);
  const declared = declaredType(type, fail);
  for (const option of Object.keys(options)) {
    if (!OPTIONS.has(option)) {
      throw fail(
        `A field has no option ${shownValue(option)}. Options: ${[...OPTIONS].join(", ")}.`,
      );
    }
  }
  const bounds = declaredBounds(declared.kind, options, fail);
  return {
    ...declared,
    ...(bounds === null ? {} : { bounds }),
    title: textOf(options.title),
    description: textOf(options.description),
    ...(isNullable ? { isNullable } : {}),
  } as ConfigType;
}

export function failureAt({ owner, name }: Pick<FieldPlace, "owner" | "name">) {
  return (message: string) => new DeclarationError(`${owner}.${name}: ${message}`);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A field's type, with its choices checked; numbers are without their bounds. */
type DeclaredType =
  | { readonly kind: "str" | "int" | "float" | "bool" }
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  | {
      readonly kind: "grouped-choice";
      readonly groups: Readonly<Record<string, readonly string[]>>;
    }
  | ObjectType
  | ListType;

/** @throws what `fail` makes of the first thing that is wrong. */
function declaredType(type: unknown, fail: (message: string) => DeclarationError): DeclaredType {
  const declared = Object(type) as Readonly<Record<string, unknown>>;
  switch (declared.kind) {
    case "str":
    case "int":
    case "float":
    case "bool":
      return { kind: declared.kind };
    case "choice":
      return { kind: "choice", choices: readChoices(declared.choices, "choices", fail) };
    case "grouped-choice":
      return { kind: "grouped-choice", groups: readGroups(declared.choices, fail) };
    case "messages":
      return messagesType(declared.variables, fail);
    // Only the reader of zod's schemas makes these, of parts that it has read already.
    case "object":
    case "list":
      return declared as DeclaredType;
    case "misannotated":
      throw fail(
        `Only strings have choices, and ${shownValue(declared.base)} is annotated with some. Write ag.Annotated(ag.str, ag.MultipleChoice({ choices: [...] })).`,
      );
    default:
      throw fail(
        `${shownValue(type)} is not the type of a field. Write ag.str, ag.int, ag.float, ag.bool, ag.MultipleChoice({ choices: [...] }), ag.GroupedMultipleChoice({ choices: { group: [...] } }) or ag.Messages().`,
      );
  }
}

function readChoices(
  choices: unknown,
  place: string,
  fail: (message: string) => DeclarationError,
): readonly string[] {
  if (!Array.isArray(choices)) {
    throw fail(`${place} is ${shownValue(choices)}. Write a list of strings.`);
  }
  if (choices.length === 0) throw fail(`${place} is empty. List at least one string.`);
  const seen = new Set<string>();
  for (const choice of choices) {
    if (typeof choice !== "string") {
      throw fail(`${place} has ${shownValue(choice)}. Choices are strings.`);
    }
    if (seen.has(choice)) throw fail(`${place} has ${shownValue(choice)} twice. List it once.`);
    seen.add(choice);
  }
  return Object.freeze([...seen]);
}

// The same choice may be in several groups: two providers can have a model of one name.
function readGroups(
  groups: unknown,
  fail: (message: string) => DeclarationError,
): Readonly<Record<string, readonly string[]>> {
  if (typeof groups !== "object" || groups === null || Array.isArray(groups)) {
    throw fail(
      `choices is ${shownValue(groups)}. Write lists of strings by group, { group: [...] }.`,
    );
  }
  const entries = Object.entries(groups);
  if (entries.length === 0) throw fail("choices is empty. List at least one group.");
  return Object.freeze(
    Object.fromEntries(
      entries.map(([group, choices]) => [group, readChoices(choices, `choices.${group}`, fail)]),
    ),
  );
}

/**
 * The bounds of a number, at most one on each side; null for what is no number.
 *
 * @throws what `fail` makes of the first thing that is wrong.
 */
function declaredBounds(
  kind: ConfigFieldKind,
  options: Readonly<Record<string, unknown>>,
  fail: (message: string) => DeclarationError,
): Bounds | null {
  const given = (["ge", "gt", "le", "lt"] as const).filter((bound) => options[bound] !== undefined);
  if (kind !== "int" && kind !== "float") {
    if (given.length === 0) return null;
    throw fail(`${given.join(", ")}: only int and float have bounds. Leave them out.`);
  }
  const bounds: { -readonly [Bound in keyof Bounds]: number } = {};
  for (const bound of given) {
    const value = options[bound];
    if (typeof value !== "number" || !Number.isFinite(value)) {
      throw fail(`${bound} is ${shownValue(value)}. A bound is a finite number.`);
    }
    if (kind === "int" && !Number.isSafeInteger(value)) {
      throw fail(`${bound} is ${value}. A bound of an int is a whole number of at most 53 bits.`);
    }
    bounds[bound] = value;
  }
  if (bounds.ge !== undefined && bounds.gt !== undefined) {
    throw fail("It has both ge and gt. Keep one lower bound.");
  }
  if (bounds.le !== undefined && bounds.lt !== undefined) {
    throw fail("It has both le and lt. Keep one upper bound.");
  }
  const lower = bounds.ge ?? bounds.gt;
  const upper = bounds.le ?? bounds.lt;
  const isStrict = bounds.gt !== undefined || bounds.lt !== undefined;
  if (lower !== undefined && upper !== undefined && (isStrict ? lower >= upper : lower > upper)) {
    const [low, high] = given;
    throw fail(
      `No number is within ${low}: ${lower} and ${high}: ${upper}. Move one of the bounds.`,
    );
  }
  return Object.freeze(bounds);
}
