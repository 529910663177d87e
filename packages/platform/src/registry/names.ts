import { randomBytes } from "node:crypto";
import {
  closestName,
  ID_LENGTH,
  type IdPrefix,
  isSlug,
  shownChoices,
  shownValue,
  slugFault,
} from "@agate/protocol";
import type { RegistryDatabase } from "../stores/registry/registry-tables.ts";
import type { RegistryProblem, RegistryRefusal } from "./registry-outcome.ts";
import { refused } from "./registry-outcome.ts";

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

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

/**
 * A random id that says what it is of: 100 bits, so that no two are ever the same.
 *
 * @example newId("app") // "app_k3v5zq7m2c4nxw6brt2a"
 */
export function newId(prefix: IdPrefix): string {
  const letters = Array.from(randomBytes(ID_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]);
  return `${prefix}_${letters.join("")}`;
}

type Missing = "application" | "variant" | "environment" | "test_set";

/** Nothing has this name. `names`: the slugs of what exists, to suggest one. */
export function missingName(
  what: Missing,
  name: string,
  { loc, names, createOne }: { loc: RegistryProblem["loc"]; names: string[]; createOne: string },
): RegistryRefusal {
  const meant = closestName(name, names) ?? names.find((known) => known.startsWith(name));
  const there = meant !== undefined ? `; did you mean ${shownValue(meant)}?` : others();
  return refused({
    type: `${what}_not_found`,
    loc,
    msg: `No ${what.replace("_", " ")} ${shownValue(name)}${there}`,
  });

  function others(): string {
    if (names.length === 0) return `. ${createOne}`;
    return `: there is ${shownChoices(names.toSorted())}.`;
  }
}

const ONE_OF = { variants: "variant", environments: "environment" } as const;

/** Why something of an application cannot get a slug. The application is locked. */
export async function newSlugProblem(
  tx: RegistryDatabase,
  table: keyof typeof ONE_OF,
  applicationId: string,
  slug: string,
): Promise<RegistryProblem | undefined> {
  const fault = slugProblem(slug);
  if (fault !== undefined) return fault;
  const taken = await tx
    .selectFrom(table)
    .select("id")
    .where("application_id", "=", applicationId)
    .where("slug", "=", slug)
    .executeTakeFirst();
  return taken && takenSlug(ONE_OF[table], slug);
}
