import type { Deployment, VariantRevision } from "@agate/protocol";
import type { RegistryDatabase } from "../../stores/registry/registry-tables.ts";
import { newId } from "../new-id.ts";
import type { Authorship } from "../registry.ts";
import { deploymentDocument, selectDeployments } from "./find-deployment.ts";
import { storableText } from "./storable-text.ts";

/** How a deployment comes about. */
export type DeploymentOrigin =
  | { readonly kind: "deploy" }
  | { readonly kind: "promotion"; readonly from: { readonly id: string; readonly slug: string } }
  | { readonly kind: "rollback"; readonly to: string };

export interface NewDeployment extends Authorship {
  readonly environmentId: string;
  readonly variant: VariantRevision;
  readonly origin: DeploymentOrigin;
  readonly at: string;
}

/** Makes a revision the live one of an environment. The application is locked. */
export async function insertDeployment(
  tx: RegistryDatabase,
  applicationId: string,
  { environmentId, variant, origin, by, message, at }: NewDeployment,
): Promise<Deployment> {
  await endLive(tx, environmentId, at);
  const { latest } = await tx
    .selectFrom("deployments")
    .select(({ fn }) => fn.max("number").as("latest"))
    .where("application_id", "=", applicationId)
    .executeTakeFirstOrThrow();
  const id = newId("dep");
  const source = origin.kind === "promotion" ? origin.from : null;
  await tx
    .insertInto("deployments")
    .values({
      id,
      application_id: applicationId,
      environment_id: environmentId,
      number: (latest ?? 0) + 1,
      variant_id: variant.id,
      variant_slug: variant.slug,
      revision: variant.revision,
      kind: origin.kind,
      promoted_from_id: source?.id ?? null,
      promoted_from_slug: source?.slug ?? null,
      rolled_back_to: origin.kind === "rollback" ? origin.to : null,
      message: storableText(message),
      deployed_by: storableText(by),
      deployed_at: at,
      ended_at: null,
    })
    .execute();
  const row = await selectDeployments(tx, applicationId)
    .where("deployments.id", "=", id)
    .executeTakeFirstOrThrow();
  return deploymentDocument(row);
}

/** Nothing is live in the environment afterwards. */
export async function endLive(
  tx: RegistryDatabase,
  environmentId: string,
  at: string,
): Promise<void> {
  await tx
    .updateTable("deployments")
    .set({ ended_at: at })
    .where("environment_id", "=", environmentId)
    .where("ended_at", "is", null)
    .execute();
}
