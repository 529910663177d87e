import { isSlug, shownValue, slugFault } from "@agate/protocol";
import type { RegistryProblem } from "./registry-outcome.ts";

/** The problem with a new slug; undefined for a valid one. */
export function slugProblem(
  slug: string,
  loc: RegistryProblem["loc"] = ["body", "slug"],
): RegistryProblem | undefined {
  const fault = slugFault(slug);
  if (fault === undefined) return undefined;
  return { type: "slug_invalid", loc, msg: `${shownValue(slug)} is not a slug: ${fault}` };
}

/** The problem of a slug that is taken. */
export function takenSlug(what: string, slug: string): RegistryProblem {
  const msg = `There is ${/^[aeiou]/.test(what) ? "an" : "a"} ${what} ${shownValue(slug)} already. Choose another slug.`;
  return { type: "slug_taken", loc: ["body", "slug"], msg };
}

/** How a request names something: by its id, or by its slug. */
export interface Name {
  readonly column: "id" | "slug";
  readonly value: string;
}

/**
 * Text that can be neither becomes a name that nothing has: it must not reach the database, which may
 * refuse its characters (PostgreSQL takes no NUL).
 */
export function nameOf(text: string): Name {
  if (isSlug(text)) return { column: "slug", value: text };
  return { column: "id", value: /^[a-z0-9_]+$/.test(text) ? text : "" };
}
