import { shownValue } from "@agate/protocol";
import type { ConfigField, ConfigFieldKind } from "./config-field.ts";
import { DeclarationError } from "./declaration-error.ts";
import { declaredBounds } from "./declared-bounds.ts";
import { declaredType } from "./declared-type.ts";
import { createValueCheck } from "./value-check.ts";

/** A field as somebody declared it, in either way of writing a configuration; nothing is checked. */
export interface FieldDraft {
  readonly type: unknown;
  readonly options: Readonly<Record<string, unknown>>;
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
export function declaredField(place: FieldPlace, { type, options }: FieldDraft): ConfigField {
  const fail = (message: string) =>
    new DeclarationError(`${place.owner}.${place.name}: ${message}`);

  const declared = declaredType(type, fail);
  const { kind } = declared;
  for (const option of Object.keys(options)) {
    if (!OPTIONS.has(option)) {
      throw fail(
        `A field has no option ${shownValue(option)}. Options: ${[...OPTIONS].join(", ")}.`,
      );
    }
  }
  if (options.default === undefined) {
    throw fail(`Every field needs a default. Write ${place.example(kind)}.`);
  }
  const bounds = declaredBounds(kind, options, fail);
  const field = {
    ...declared,
    name: place.name,
    default: options.default,
    title: textOf(options.title),
    description: textOf(options.description),
    ...(bounds === null ? {} : { bounds }),
    // The default is checked by the same rules as any other value, right below.
  } as ConfigField;
  const problem = createValueCheck(field)(field.default);
  if (problem !== null) {
    throw fail(`Its own default is not valid. ${problem.message} Choose a default that it takes.`);
  }
  return Object.freeze(field);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
