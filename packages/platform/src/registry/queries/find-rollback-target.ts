import { shownValue } from "@agate/protocol";
import type { RegistryDatabase } from "../../stores/registry/registry-tables.ts";
import type { RegistryOutcome } from "../registry-outcome.ts";
import { done, refused } from "../registry-outcome.ts";
import { nameOf } from "../slug.ts";
import type { DeploymentRow } from "./find-deployment.ts";
import { selectDeployments, selectLive } from "./find-deployment.ts";
import type { EnvironmentRow } from "./find-environment.ts";
import type { FoundRevision } from "./find-revision.ts";
import { findRevision } from "./find-revision.ts";

export interface RollbackTarget {
  readonly deploymentId: string;
  readonly revision: FoundRevision;
}

/** The deployment to go back to: the one with this id, or the last that had another revision. */
export async function findRollbackTarget(
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
