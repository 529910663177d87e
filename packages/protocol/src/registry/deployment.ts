import type { VariantRevision } from "./variant.ts";

/** How a deployment came about. */
export const DEPLOYMENT_KINDS = ["deploy", "promotion", "rollback"] as const;
export type DeploymentKind = (typeof DEPLOYMENT_KINDS)[number];

/** One entry of an environment's history: one revision, pinned. */
export interface Deployment {
  readonly id: string;
  /** The environment's slug. */
  readonly environment: string;
  readonly variant: VariantRevision;
  readonly kind: DeploymentKind;
  /** `promotion`: the environment it came from. */
  readonly promoted_from: string | null;
  /** `rollback`: the deployment it went back to. */
  readonly rolled_back_to: string | null;
  readonly message: string;
  readonly deployed_by: string;
  readonly deployed_at: string;
  /** When another took its place, or it was taken down; null while it is live. */
  readonly ended_at: string | null;
}
