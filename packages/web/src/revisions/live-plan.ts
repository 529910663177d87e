import type { DeployedBuild, Deployment, Environment } from "@agate/protocol";
import type { LiveChange, MovedParts } from "../api/change-live.ts";

/** A revision: `concise@3`. */
export interface RevisionName {
  /** The id of the variant, if known: the slug may belong to another variant by now. */
  readonly id?: string;
  readonly slug: string;
  readonly revision: number;
}

/** What is live together: code and configuration. */
export interface LivePair {
  /** Null where none is known. */
  readonly build: DeployedBuild | null;
  readonly variant: RevisionName;
}

/** A planned change of what is live. Computed anew whenever what is live changes. */
export interface LivePlan {
  readonly environment: string;
  /** What is live afterwards. */
  readonly to: LivePair;
  readonly change: LiveChange;
}

/** @example revisionText({ slug: "concise", revision: 3 }) // "concise@3" */
export function revisionText({ slug, revision }: RevisionName): string {
  return `${slug}@${revision}`;
}

/** The same with the id of the variant, which the platform accepts as well. */
export function revisionTextById({ id, slug, revision }: RevisionName): string {
  return revisionText({ slug: id ?? slug, revision });
}

/** @example buildText({ number: 3, … }) // "build 3" */
export function buildText(build: DeployedBuild | null): string {
  return build === null ? "no build" : `build ${build.number}`;
}

/** @example pairText(deployment) // "build 3, concise@2" */
export function pairText({ build, variant }: LivePair): string {
  return build === null ? revisionText(variant) : `${buildText(build)}, ${revisionText(variant)}`;
}

export function isSameRevision(one: RevisionName, other: RevisionName): boolean {
  if (one.revision !== other.revision) return false;
  return one.id === undefined || other.id === undefined
    ? one.slug === other.slug
    : one.id === other.id;
}

export function isSameBuild(one: LivePair, other: LivePair): boolean {
  return one.build?.id === other.build?.id;
}

export function isSamePair(one: LivePair, other: LivePair): boolean {
  return isSameRevision(one.variant, other.variant) && isSameBuild(one, other);
}

export function liveIn(environments: readonly Environment[], slug: string): Deployment | null {
  return environments.find((environment) => environment.slug === slug)?.deployment ?? null;
}

/**
 * What an environment has when a part of another deployment becomes live there. History from before
 * deployments had builds moves the configuration alone.
 *
 * @param live What is live there until then.
 */
export function movedPair(moved: LivePair, live: LivePair | null, parts: MovedParts): LivePair {
  return {
    build: parts === "config" ? (live?.build ?? null) : (moved.build ?? live?.build ?? null),
    variant: parts === "code" && live !== null ? live.variant : moved.variant,
  };
}

/**
 * Describes a plan in one line; what stays is left out.
 *
 * @example planText(environments, plan) // "production: build 2, concise@1 → build 3, concise@2"
 */
export function planText(environments: readonly Environment[], plan: LivePlan): string {
  const live = liveIn(environments, plan.environment);
  if (live === null) return `${plan.environment}: nothing → ${pairText(plan.to)}`;
  const isSameCode = isSameBuild(live, plan.to);
  const isSameConfig = isSameRevision(live.variant, plan.to.variant);
  const text = (pair: LivePair) => {
    if (isSameCode === isSameConfig) return pairText(pair);
    return isSameCode ? revisionText(pair.variant) : buildText(pair.build);
  };
  return `${plan.environment}: ${text(live)} → ${text(plan.to)}`;
}

/** If this changes while a dialog is open, the user has to confirm again. */
export function planKey(environments: readonly Environment[], plan: LivePlan): string {
  const live = liveIn(environments, plan.environment);
  const pair = (of: LivePair | null) => of && [of.build?.id, revisionTextById(of.variant)];
  const source = plan.change.kind === "promote" ? plan.change.expect : null;
  return JSON.stringify([plan.environment, pair(live), pair(plan.to), source]);
}
