import type { ErrorDetail } from "../error-body.ts";
import type { BuildPermission } from "./build-manifest.ts";
import type { Deployment } from "./deployment.ts";

/**
 * `starting`: being installed, started and checked. `live`: it serves. `retired`: it has served, or
 * was ready and another came first. `refused`: it never served; `refusal` says why.
 */
export const BUILD_STATUSES = ["starting", "live", "retired", "refused"] as const;
export type BuildStatus = (typeof BUILD_STATUSES)[number];

/** The code of an application as it was deployed once. */
export interface Build {
  readonly id: string;
  /** 1, 2, 3 … within its application. */
  readonly number: number;
  readonly status: BuildStatus;
  readonly created_by: string;
  readonly created_at: string;
  /** The routes that it serves; null until it has answered. */
  readonly routes: readonly string[] | null;
  /** Bytes that were uploaded. */
  readonly size: number;
  readonly sdk_version: string;
  readonly message: string;
  /** What its program may do beyond the default; null for a build that runs without restrictions. */
  readonly allow: readonly BuildPermission[] | null;
  /** Hex of the SHA-256 of its manifest, which has those of its files; null for builds from before. */
  readonly manifest_sha256: string | null;
  readonly refusal: string | null;
}

/** The steps of a deploy, in their order. */
export const DEPLOY_STEPS = ["unpack", "install", "start", "check", "switch", "drain"] as const;
export type DeployStep = (typeof DEPLOY_STEPS)[number];

/** What the platform tells while it deploys, as server-sent events of these names. */
export interface DeployEvents {
  /** `detail` is for people: "cached", "1.2 s". */
  step: { readonly step: DeployStep; readonly state: "begun" | "done"; readonly detail: string };
  /** The last event where it went well. */
  deployed: DeployResult;
  /** The last event where it did not: the status and body that the same request without events gets. */
  refused: {
    readonly status: number;
    readonly detail: readonly ErrorDetail[];
    /** The last lines that the build itself printed, oldest first. */
    readonly log: readonly string[];
  };
}

export interface DeployResult {
  readonly application: { readonly id: string; readonly slug: string };
  readonly build: Build;
  /** Null where only code was deployed, to no environment. */
  readonly deployment: Deployment | null;
}
