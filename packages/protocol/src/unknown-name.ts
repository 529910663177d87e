import { closestName } from "./closest-name.ts";
import { shownChoices, shownValue } from "./shown-value.ts";

/** What to say about a route or a field that a configuration does not have. */
export function unknownName(
  what: "route" | "field",
  name: string,
  names: readonly string[],
): string {
  if (names.length === 0) return `There is no such ${what}; the configuration has none.`;
  const meant = closestName(name, names);
  return meant === undefined
    ? `There is no such ${what}. Write ${shownChoices(names)}.`
    : `There is no such ${what}; did you mean ${shownValue(meant)}?`;
}
