import type { DeclarationError } from "./declaration-error.ts";
import { shownValue } from "./shown-value.ts";

/** A field's type, with its choices checked. */
export type DeclaredType =
  | { readonly kind: "str" | "int" | "float" | "bool" }
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  | {
      readonly kind: "grouped-choice";
      readonly groups: Readonly<Record<string, readonly string[]>>;
    };

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
      return { kind: "choice", choices: readChoices(declared.choices, "", fail) };
    case "grouped-choice":
      return { kind: "grouped-choice", groups: readGroups(declared.choices, fail) };
    case "misannotated":
      throw fail(
        `Only strings have choices, and ${shownValue(declared.base)} is annotated with some. Write ag.Annotated(ag.str, ag.MultipleChoice({ choices: [...] })).`,
      );
    default:
      throw fail(
        `${shownValue(type)} is not the type of a field. Write ag.str, ag.int, ag.float, ag.bool, ag.MultipleChoice({ choices: [...] }) or ag.GroupedMultipleChoice({ choices: { group: [...] } }).`,
      );
  }
}

function readChoices(
  choices: unknown,
  group: string,
  fail: (message: string) => DeclarationError,
): readonly string[] {
  const where = group === "" ? "choices" : `the choices of group ${shownValue(group)}`;
  if (!Array.isArray(choices)) {
    throw fail(`It takes ${where} as a list of strings, not ${shownValue(choices)}.`);
  }
  if (choices.length === 0) throw fail(`It has no ${where}. List at least one string.`);
  const seen = new Set<string>();
  for (const choice of choices) {
    if (typeof choice !== "string") {
      throw fail(`${shownValue(choice)} is among ${where}. Choices are strings.`);
    }
    if (seen.has(choice)) {
      throw fail(`${shownValue(choice)} is twice among ${where}. List it once.`);
    }
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
    throw fail(`It takes choices by group, { group: ["a", "b"] }, not ${shownValue(groups)}.`);
  }
  const entries = Object.entries(groups);
  if (entries.length === 0) throw fail("It has no groups of choices. List at least one.");
  return Object.freeze(
    Object.fromEntries(
      entries.map(([group, choices]) => [group, readChoices(choices, group, fail)]),
    ),
  );
}
