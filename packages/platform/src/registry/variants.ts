import { selectLive } from "./environment-rows.ts";
import { newSlugProblem } from "./names.ts";
import type { Variants } from "./registry.ts";
import type { RegistryContext } from "./registry-context.ts";
import { changeConfig, findApplication, inApplication } from "./registry-context.ts";
import type { RegistryProblem } from "./registry-outcome.ts";
import { done, refusalOf, refused } from "./registry-outcome.ts";
import {
  findRevision,
  findVariant,
  insertRevision,
  insertVariant,
  listVariants,
} from "./variant-rows.ts";

export function createVariants(context: RegistryContext): Variants {
  const { db, now } = context;
  return {
    async list(ref) {
      const application = await findApplication(db, ref);
      if (application.kind === "refused") return application;
      return done(await listVariants(db, application.value.id));
    },

    async get(ref, variant) {
      const application = await findApplication(db, ref);
      if (application.kind === "refused") return application;
      return findVariant(db, application.value.id, variant);
    },

    create: (ref, slug) =>
      inApplication(context, ref, async (tx, application) => {
        const fault = await newSlugProblem(tx, "variants", application.id, slug);
        if (fault !== undefined) return refused(fault);
        const id = await insertVariant(tx, application.id, slug, { at: now(), forkedFrom: null });
        return findVariant(tx, application.id, id);
      }),

    rename: (ref, variant, slug) =>
      changeConfig(context, ref, async (tx, application) => {
        const found = await findVariant(tx, application.id, variant);
        if (found.kind === "refused" || found.value.slug === slug) return found;
        const fault = await newSlugProblem(tx, "variants", application.id, slug);
        if (fault !== undefined) return refused(fault);
        await tx.updateTable("variants").set({ slug }).where("id", "=", found.value.id).execute();
        return done({ ...found.value, slug });
      }),

    delete: (ref, variant) =>
      changeConfig(context, ref, async (tx, application) => {
        const found = await findVariant(tx, application.id, variant);
        if (found.kind === "refused") return found;
        const { id } = found.value;
        const live = await selectLive(tx, application.id)
          .where("deployments.variant_id", "=", id)
          .execute();
        const stillLive = live.map(
          ({ environment, variant_slug: slug, revision }): RegistryProblem => ({
            type: "still_live",
            loc: ["path", "variant"],
            msg: `${slug}@${revision} is live in ${environment}. Deploy another variant there, or take it down, first.`,
          }),
        );
        const refusal = refusalOf(stillLive);
        if (refusal !== undefined) return refusal;
        await tx.deleteFrom("variants").where("id", "=", id).execute();
        return found;
      }),

    fork: (ref, source, slug, authorship) =>
      changeConfig(context, ref, async (tx, application) => {
        const found = await findRevision(
          tx,
          application.id,
          { kind: "variant", ...source },
          (part) => [part === "variant" ? "path" : "body", part],
        );
        if (found.kind === "refused") return found;
        const fault = await newSlugProblem(tx, "variants", application.id, slug);
        if (fault !== undefined) return refused(fault);
        const { variant: forkedFrom, params } = found.value;
        const at = now();
        const id = await insertVariant(tx, application.id, slug, { at, forkedFrom });
        await insertRevision(tx, { id, revision: 1 }, { ...authorship, params, at });
        return findVariant(tx, application.id, id);
      }),
  };
}
