import type { Deployment } from "@agate/protocol";
import type { RegistryDatabase } from "../stores/registry/registry-tables.ts";
import type { ApplicationRow } from "./queries/find-application.ts";
import { findApplication, routesOf } from "./queries/find-application.ts";
import { deploymentDocument, selectDeployments, selectLive } from "./queries/find-deployment.ts";
import type { EnvironmentRow } from "./queries/find-environment.ts";
import { findEnvironment } from "./queries/find-environment.ts";
import type { FoundRevision } from "./queries/find-revision.ts";
import { findLive, findRevision, nothingLive } from "./queries/find-revision.ts";
import { findRollbackTarget } from "./queries/find-rollback-target.ts";
import type { DeploymentOrigin } from "./queries/insert-deployment.ts";
import { endLive, insertDeployment } from "./queries/insert-deployment.ts";
import { pageOf, rowsFor } from "./queries/page.ts";
import type { ApplicationRef, Authorship, Deployments } from "./registry.ts";
import type { RegistryContext } from "./registry-context.ts";
import { changeConfig } from "./registry-context.ts";
import type { RegistryOutcome, RegistryProblem } from "./registry-outcome.ts";
import { done, refusalOf, refused } from "./registry-outcome.ts";
import { revisionMisfits } from "./schema/fit-schema.ts";

export function createDeployments(context: RegistryContext): Deployments {
  const { db, now } = context;
  return {
    async list(ref, environment, page) {
      const application = await findApplication(db, ref);
      if (application.kind === "refused") return application;
      const { limit, below } = rowsFor(page);
      let query = selectDeployments(db, application.value.id)
        .where("deployments.number", "<", below)
        .orderBy("deployments.number", "desc")
        .limit(limit);
      if (environment !== null) {
        const found = await findEnvironment(db, application.value.id, environment);
        if (found.kind === "refused") return found;
        query = query.where("deployments.environment_id", "=", found.value.id);
      }
      return done(pageOf(await query.execute(), page, deploymentDocument));
    },

    deploy: (ref, environment, what) =>
      intoEnvironment(ref, environment, what, ["body", "variant"], async (tx, application) => {
        const { variant, revision } = what;
        const which = { kind: "variant", variant, revision } as const;
        const found = await findRevision(tx, application.id, which, (part) => ["body", part]);
        if (found.kind === "refused") return found;
        return done({ revision: found.value, origin: { kind: "deploy" } });
      }),

    promote: (ref, environment, what) =>
      intoEnvironment(ref, environment, what, ["body", "from"], async (tx, application) => {
        const found = await findLive(tx, application.id, what.from, ["body", "from"]);
        if (found.kind === "refused") return found;
        const { environment: from } = found.value;
        return done({ revision: found.value, origin: { kind: "promotion", from } });
      }),

    rollBack: (ref, environment, what) =>
      intoEnvironment(
        ref,
        environment,
        what,
        ["body", "deployment"],
        async (tx, application, into) => {
          const target = await findRollbackTarget(tx, application.id, into, what.deployment);
          if (target.kind === "refused") return target;
          const { revision, deploymentId } = target.value;
          return done({ revision, origin: { kind: "rollback", to: deploymentId } });
        },
      ),

    takeDown: (ref, environment) =>
      changeConfig(context, ref, async (tx, application) => {
        const found = await findEnvironment(tx, application.id, environment);
        if (found.kind === "refused") return found;
        const { id, slug } = found.value;
        const live = await selectLive(tx, application.id)
          .where("deployments.environment_id", "=", id)
          .executeTakeFirst();
        if (live === undefined) return refused(nothingLive(slug, ["path", "environment"]));
        const at = now();
        await endLive(tx, id, at);
        return done(deploymentDocument({ ...live, ended_at: at }));
      }),
  };

  /** Pins what `choose` finds, if the application's schema takes it. */
  function intoEnvironment(
    ref: ApplicationRef,
    environment: string,
    { by, message }: Authorship,
    loc: RegistryProblem["loc"],
    choose: (
      tx: RegistryDatabase,
      application: ApplicationRow,
      into: EnvironmentRow,
    ) => Promise<RegistryOutcome<Choice>>,
  ): Promise<RegistryOutcome<Deployment>> {
    return changeConfig(context, ref, async (tx, application) => {
      const into = await findEnvironment(tx, application.id, environment);
      if (into.kind === "refused") return into;
      const chosen = await choose(tx, application, into.value);
      if (chosen.kind === "refused") return chosen;
      const { revision, origin } = chosen.value;
      const routes = routesOf(application) ?? [];
      const refusal = refusalOf(revisionMisfits(into.value.slug, revision, routes, loc));
      if (refusal !== undefined) return refusal;
      const deployment = await insertDeployment(tx, application.id, {
        environmentId: into.value.id,
        variant: revision.variant,
        origin,
        by,
        message,
        at: now(),
      });
      return done(deployment);
    });
  }
}

/** What is to be deployed, and why. */
interface Choice {
  readonly revision: FoundRevision;
  readonly origin: DeploymentOrigin;
}
