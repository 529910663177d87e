import { shownValue } from "@agate/protocol";
import type { ListType, ObjectType } from "./config-field.ts";
import type { DeclarationError } from "./declaration-error.ts";
import { messagesType } from "./messages-type.ts";

/** A field's type, with its choices checked; numbers are without their bounds. */
export type DeclaredType =
  | { readonly kind: "str" | "int" | "float" | "bool" }
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  | {
      readonly kind: "grouped-choice";
      readonly groups: Readonly<Record<string, readonly string[]>>;
    }
  | ObjectType
  | ListType;

/** @throws what `fail` makes of the first thing that is wrong. */
export function declaredType(
  type: unknown,
  fail: (message: string) => DeclarationError,
): DeclaredType {
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
