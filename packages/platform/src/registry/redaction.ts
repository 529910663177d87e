import type { ProjectRedaction, RedactionRules } from "@agate/protocol";
import { NO_REDACTION } from "@agate/protocol";
import { readRules } from "@agate/spans/redaction";
import { findProject } from "./projects.ts";
import type { RedactionSettings } from "./registry.ts";
import type { RegistryContext } from "./registry-context.ts";
import { inTransaction } from "./registry-context.ts";
import type { RegistryProblem } from "./registry-outcome.ts";
import { done, refused } from "./registry-outcome.ts";

export function createRedaction(context: RegistryContext): RedactionSettings {
  const { db, now } = context;
  return {
    async get(ref) {
      const project = await findProject(db, ref);
      if (project.kind === "refused") return project;
      const row = await db
        .selectFrom("redaction_rules")
        .selectAll()
        .where("project_id", "=", project.value.id)
        .executeTakeFirst();
      if (row === undefined) return done({ ...NO_REDACTION, updated_at: null, updated_by: null });
      const { rules, updated_at, updated_by } = row;
      return done({ ...(JSON.parse(rules) as RedactionRules), updated_at, updated_by });
    },

    set: (ref, json, by) =>
      inTransaction<ProjectRedaction>(context, async (tx) => {
        const project = await findProject(tx, ref);
        if (project.kind === "refused") return project;
        const read = readRules(json);
        if (read.kind === "problems") {
          const [first, ...others] = read.problems;
          return refused(asProblem(first), ...others.map(asProblem));
        }
        const written = {
          rules: JSON.stringify(read.rules),
          updated_at: now(),
          updated_by: by,
        };
        await tx
          .insertInto("redaction_rules")
          .values({ project_id: project.value.id, ...written })
          .onConflict((conflict) => conflict.column("project_id").doUpdateSet(written))
          .execute();
        return done({ ...read.rules, updated_at: written.updated_at, updated_by: by });
      }),
  };
}

function asProblem({
  path,
  msg,
}: {
  path: readonly (string | number)[];
  msg: string;
}): RegistryProblem {
  return { type: "redaction_invalid", loc: ["body", ...path], msg };
}
