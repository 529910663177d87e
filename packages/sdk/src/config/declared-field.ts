import { shownValue } from "@agate/protocol";
import type { ConfigField, ConfigFieldKind, ConfigType } from "./config-field.ts";
import { DeclarationError } from "./declaration-error.ts";
import { declaredBounds } from "./declared-bounds.ts";
import { declaredType } from "./declared-type.ts";
import { createFieldReader } from "./field-reader.ts";

/** A field as somebody declared it, in either way of writing a configuration; nothing is checked. */
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
