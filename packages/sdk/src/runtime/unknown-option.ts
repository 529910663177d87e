import { closestName, shownValue } from "@agate/protocol";

/** The names of all options: one that is added to the type and not here is a compile error. */
export type OptionNames<Options> = { readonly [Name in keyof Required<Options>]: true };

/**
 * What to say about an option that there is none of; null where all are known. A misspelt option would
 * be ignored without a word.
 *
 * @example
 * unknownOption("The route /say", { tiemout: 5 }, { timeout: true }); // …; did you mean "timeout"?
 */
export function unknownOption(
  what: string,
  given: object,
  known: Readonly<Record<string, true>>,
): string | null {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return null;
  const names = Object.keys(known);
  const meant = closestName(unknown, names);
  const advice =
    meant === undefined
      ? `. It takes ${names.join(", ")}.`
      : `; did you mean ${shownValue(meant)}?`;
  return `${what} has no option ${shownValue(unknown)}${advice}`;
}

/** What to say about an option that switches something and is no boolean; null where it is one, or absent. */
export function switchProblem(name: string, given: unknown): string | null {
  if (given === undefined || typeof given === "boolean") return null;
  return `${name} must be true or false (got ${shownValue(given)}).`;
}
