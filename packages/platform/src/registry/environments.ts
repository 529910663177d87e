import {
  deleteEnvironment,
  environmentDocument,
  findDefaultEnvironment,
  findEnvironment,
  findLiveIn,
  insertEnvironment,
  listEnvironments,
  selectLive,
} from "./environment-rows.ts";
import { newSlugProblem } from "./names.ts";
import type { Environments } from "./registry.ts";
import type { RegistryContext } from "./registry-context.ts";
import { changeConfig, findApplication } from "./registry-context.ts";
import { done, refused } from "./registry-outcome.ts";

export function createEnvironments(context: RegistryContext): Environments {
  const { db, now } = context;
  return {
    async list(ref) {
      const application = await findApplication(db, ref);
      if (application.kind === "refused") return application;
      const rows = await listEnvironments(db, application.value.id);
      const live = await selectLive(db, application.value.id).execute();
      const byEnvironment = new Map(live.map((row) => [row.environment_id, row]));
      return done(rows.map((row) => environmentDocument(row, byEnvironment.get(row.id))));
    },

    async get(ref, environment) {
      const application = await findApplication(db, ref);
      if (application.kind === "refused") return application;
      const found = await findEnvironment(db, application.value.id, environment);
      if (found.kind === "refused") return found;
      const live = await findLiveIn(db, found.value);
      return done(environmentDocument(found.value, live));
    },

    create: (ref, slug) =>
      changeConfig(context, ref, async (tx, application) => {
        const fault = await newSlugProblem(tx, "environments", application.id, slug);
        if (fault !== undefined) return refused(fault);
        // Where all were deleted, calls that name none go to the next that is made.
        const isDefault = (await findDefaultEnvironment(tx, application.id)) === undefined;
        const row = await insertEnvironment(tx, application.id, slug, { at: now(), isDefault });
        return done(environmentDocument(row, undefined));
      }),

    rename: (ref, environment, slug) =>
      changeConfig(context, ref, async (tx, application) => {
        const found = await findEnvironment(tx, application.id, environment);
        if (found.kind === "refused") return found;
        const { id } = found.value;
        if (found.value.slug !== slug) {
          const fault = await newSlugProblem(tx, "environments", application.id, slug);
          if (fault !== undefined) return refused(fault);
          await tx.updateTable("environments").set({ slug }).where("id", "=", id).execute();
        }
        const live = await findLiveIn(tx, found.value);
        return done(environmentDocument({ ...found.value, slug }, live));
      }),

    setPlayground: (ref, environment, isOn) =>
      changeConfig(context, ref, async (tx, application) => {
        const found = await findEnvironment(tx, application.id, environment);
        if (found.kind === "refused") return found;
        const playground = isOn ? 1 : 0;
        await tx
          .updateTable("environments")
          .set({ playground })
          .where("id", "=", found.value.id)
          .execute();
        const live = await selectLive(tx, application.id)
          .where("deployments.environment_id", "=", found.value.id)
          .executeTakeFirst();
        return done(environmentDocument({ ...found.value, playground }, live));
      }),

    delete: (ref, environment) =>
      changeConfig(context, ref, async (tx, application) => {
        const found = await findEnvironment(tx, application.id, environment);
        if (found.kind === "refused") return found;
        const live = await findLiveIn(tx, found.value);
        if (live !== undefined) {
          const msg = `${live.environment} runs ${live.variant_slug}@${live.revision}. Take that down first.`;
          return refused({ type: "still_live", loc: ["path", "environment"], msg });
        }
        if (found.value.is_default === 1) {
          const msg = `${found.value.slug} is the default environment: calls that name none go to it. It can be renamed, not deleted.`;
          return refused({ type: "still_live", loc: ["path", "environment"], msg });
        }
        await deleteEnvironment(tx, found.value);
        return done(environmentDocument(found.value, undefined));
      }),
  };
}
