import type { RegistryDatabase } from "../../stores/registry/registry-tables.ts";
import type { RegistryProblem } from "../registry-outcome.ts";
import { slugProblem, takenSlug } from "../slug.ts";

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
