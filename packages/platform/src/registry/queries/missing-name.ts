import { closestName, shownChoices, shownValue } from "@agate/protocol";
import type { RegistryProblem, RegistryRefusal } from "../registry-outcome.ts";
import { refused } from "../registry-outcome.ts";

type Missing = "application" | "variant" | "environment";

/** Nothing is called that. `names` are the slugs of what there is instead. */
export function missingName(
  what: Missing,
  name: string,
  { loc, names, makeOne }: { loc: RegistryProblem["loc"]; names: string[]; makeOne: string },
): RegistryRefusal {
  const meant = closestName(name, names) ?? names.find((known) => known.startsWith(name));
  const there = meant !== undefined ? `; did you mean ${shownValue(meant)}?` : others();
  return refused({
    type: `${what}_not_found`,
    loc,
    msg: `There is no ${what} ${shownValue(name)}${there}`,
  });

  function others(): string {
    if (names.length === 0) return `, and no other. ${makeOne}`;
    return `: there is ${shownChoices(names.toSorted())}.`;
  }
}
