import type { DeclaredEvaluation } from "@agate/protocol/evaluator";
import { buildDocument, findLivePlaces } from "./build-rows.ts";
import type { Builds } from "./registry.ts";
import type { RegistryContext } from "./registry-context.ts";
import { findApplication } from "./registry-context.ts";
import { done } from "./registry-outcome.ts";

/** The eval files of builds, and what they declare. */
export function buildEvaluations({
  db,
}: RegistryContext): Pick<Builds, "newestWithEvals" | "evaluations" | "keepEvaluations"> {
  return {
    async newestWithEvals(ref) {
      const application = await findApplication(db, ref);
      if (application.kind === "refused") return application;
      const { id } = application.value;
      const row = await db
        .selectFrom("builds")
        .selectAll()
        .where("application_id", "=", id)
        .where("has_evals", "=", 1)
        // One that is still being deployed may be refused yet.
        .where("status", "in", ["live", "retired"])
        .orderBy("number", "desc")
        .limit(1)
        .executeTakeFirst();
      return done(row === undefined ? null : buildDocument(row, await findLivePlaces(db, id)));
    },

    async evaluations(buildId) {
      const row = await db
        .selectFrom("builds")
        .select(["has_evals", "evaluations"])
        .where("id", "=", buildId)
        .executeTakeFirst();
      if (row?.has_evals !== 1) return { kind: "none" };
      if (row.evaluations === null) return { kind: "unread" };
      const evaluations = JSON.parse(row.evaluations) as DeclaredEvaluation[];
      return { kind: "read", evaluations };
    },

    async keepEvaluations(buildId, evaluations) {
      await db
        .updateTable("builds")
        .set({ evaluations: JSON.stringify(evaluations) })
        .where("id", "=", buildId)
        .execute();
    },
  };
}
