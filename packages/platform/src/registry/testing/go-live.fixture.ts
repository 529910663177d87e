import type { Activation, ChangeRequest } from "../deployment-change.ts";
import { newId } from "../names.ts";
import type { ApplicationRef, Deployments, NewBuild, Registry } from "../registry.ts";
import type { RegistryOutcome } from "../registry-outcome.ts";

/** The record of a build that nothing is known of. */
export function newBuild(build: Partial<NewBuild> = {}): NewBuild {
  const id = newId("bld");
  return {
    id,
    by: "tests",
    message: "",
    size: 1,
    sdkVersion: "0.1.0",
    allow: [],
    manifestHash: "",
    archiveHash: id,
    commit: null,
    hasEvals: false,
    ...build,
  };
}

/** A deploy as a test asks for it. */
export interface AskedDeploy {
  readonly environment: string;
  /** Its number or id; without it the live one stays. */
  readonly build?: string;
  /** Without it the live one stays. */
  readonly config?: { readonly variant: string; readonly revision: number | null };
  readonly by?: string;
  readonly message?: string;
}

/** Makes a build or a revision live in the registry alone: nothing is started. */
export async function goLive(
  { deployments }: Pick<Registry, "deployments">,
  ref: ApplicationRef,
  { environment, build, config, by = "tests", message = "" }: AskedDeploy,
  under: Parameters<Deployments["apply"]>[2] = {},
): Promise<RegistryOutcome<Activation>> {
  const request: ChangeRequest = {
    kind: "deploy",
    environment,
    environmentLoc: ["path", "environment"],
    build: build ?? null,
    config: config ?? null,
    configIn: "body",
    accepts: "compatible",
    by,
    message,
  };
  const pinned = await deployments.pin(ref, request);
  return pinned.kind === "refused" ? pinned : deployments.apply(ref, pinned.value, under);
}
