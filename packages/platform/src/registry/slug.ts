import { shownValue } from "@agate/protocol";
import { looksLikeId } from "./new-id.ts";
import type { RegistryProblem } from "./registry-outcome.ts";

const SLUG = /^[a-z0-9]+(?:[-_.][a-z0-9]+)*$/;
const LONGEST = 64;

export function isSlug(text: string): boolean {
  return text.length <= LONGEST && SLUG.test(text) && !looksLikeId(text);
}

/** What is wrong with a new slug; undefined when it is fine. */
export function slugProblem(
  slug: string,
  loc: RegistryProblem["loc"] = ["body", "slug"],
): RegistryProblem | undefined {
  if (isSlug(slug)) return undefined;
  return { type: "slug_invalid", loc, msg: `${shownValue(slug)} is not a slug: ${faultOf(slug)}` };
}

/** Something of the kind has the slug already. */
export function takenSlug(what: string, slug: string): RegistryProblem {
  const msg = `There is ${/^[aeiou]/.test(what) ? "an" : "a"} ${what} ${shownValue(slug)} already. Choose another slug.`;
  return { type: "slug_taken", loc: ["body", "slug"], msg };
}

function faultOf(slug: string): string {
  if (slug === "") return "it is empty.";
  if (slug.length > LONGEST) return `it has more than ${LONGEST} characters.`;
  if (looksLikeId(slug)) return "it looks like an id. Choose one that does not begin like this.";
  const nearest = nearestSlug(slug);
  const example = nearest === undefined ? "" : `, such as ${shownValue(nearest)}`;
  return `take lower-case letters and digits, with single "-", "_" or "." between them${example}.`;
}

function nearestSlug(text: string): string | undefined {
  const words =
    text
      .normalize("NFKD")
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  const slug = words.join("-");
  return isSlug(slug) ? slug : undefined;
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
