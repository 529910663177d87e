import type { Deployment } from "@agate/protocol";
import { shownValue } from "@agate/protocol";
import type { RegistryDatabase } from "../stores/registry/registry-tables.ts";
import type { DeploymentOrigin, DeploymentRow, EnvironmentRow } from "./environment-rows.ts";
import {
  deploymentDocument,
  endLive,
  findEnvironment,
  insertDeployment,
  selectDeployments,
  selectLive,
} from "./environment-rows.ts";
import { nameOf } from "./names.ts";
import type { ApplicationRef, Authorship, Deployments } from "./registry.ts";
import type { ApplicationRow, RegistryContext } from "./registry-context.ts";
import { changeConfig, findApplication, pageOf, routesOf, rowsFor } from "./registry-context.ts";
import type { RegistryOutcome, RegistryProblem } from "./registry-outcome.ts";
import { done, refusalOf, refused } from "./registry-outcome.ts";
import { revisionMisfits } from "./schema/application-schema.ts";
import type { FoundRevision } from "./variant-rows.ts";
import { findLive, findRevision, nothingLive } from "./variant-rows.ts";

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

interface RollbackTarget {
  readonly deploymentId: string;
  readonly revision: FoundRevision;
}

/** The deployment to go back to: the one with this id, or the last that had another revision. */
async function findRollbackTarget(
  tx: RegistryDatabase,
  applicationId: string,
  environment: EnvironmentRow,
  deploymentId: string | null,
): Promise<RegistryOutcome<RollbackTarget>> {
  const target =
    deploymentId === null
      ? await findPrevious(tx, applicationId, environment.id)
      : await historyOf(tx, applicationId, environment.id)
          .where("deployments.id", "=", nameOf(deploymentId).value)
          .executeTakeFirst();
  if (target === undefined) {
    const msg =
      deploymentId === null
        ? `Nothing else was deployed to ${shownValue(environment.slug)} before: there is nothing to go back to.`
        : `${shownValue(environment.slug)} has no deployment ${shownValue(deploymentId)} in its history. Take an id from the list of its deployments.`;
    return refused({ type: "deployment_not_found", loc: ["body", "deployment"], msg });
  }
  const { variant_id: variant, revision } = target;
  const which = { kind: "variant", variant, revision } as const;
  const found = await findRevision(tx, applicationId, which, () => ["body", "deployment"]);
  if (found.kind === "done") return done({ deploymentId: target.id, revision: found.value });
  const msg = `Deployment ${target.id} ran ${target.variant_slug}@${revision}, and that variant has been deleted since. Choose another deployment.`;
  return refused({ type: "variant_not_found", loc: ["body", "deployment"], msg });
}

/** Where nothing is live, the last that was. */
async function findPrevious(
  tx: RegistryDatabase,
  applicationId: string,
  environmentId: string,
): Promise<DeploymentRow | undefined> {
  const live = await selectLive(tx, applicationId)
    .where("deployments.environment_id", "=", environmentId)
    .executeTakeFirst();
  const history = historyOf(tx, applicationId, environmentId);
  if (live === undefined) return history.executeTakeFirst();
  return history
    .where((eb) =>
      eb.or([
        eb("deployments.variant_id", "!=", live.variant_id),
        eb("deployments.revision", "!=", live.revision),
      ]),
    )
    .executeTakeFirst();
}

function historyOf(tx: RegistryDatabase, applicationId: string, environmentId: string) {
  return selectDeployments(tx, applicationId)
    .where("deployments.environment_id", "=", environmentId)
    .orderBy("deployments.number", "desc")
    .limit(1);
}
