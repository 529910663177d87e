import type { Environment } from "@agate/protocol";
import type { LiveChange } from "../api/registry-changes.ts";

/** A revision by its name: `concise@3`. */
export interface RevisionName {
  readonly slug: string;
  readonly revision: number;
}

/** What would become live where; made anew whenever what is live changes. */
export interface LivePlan {
  readonly environment: string;
  readonly to: RevisionName;
  readonly change: LiveChange;
}

/** @example revisionText({ slug: "concise", revision: 3 }) // "concise@3" */
export function revisionText({ slug, revision }: RevisionName): string {
  return `${slug}@${revision}`;
}

export function liveIn(environments: readonly Environment[], slug: string) {
  return environments.find((environment) => environment.slug === slug)?.deployment ?? null;
}

/**
 * What a plan does, as one text: if it is another than the one that somebody has read, they have to
 * read it again before they confirm.
 */
export function planText(environments: readonly Environment[], plan: LivePlan): string {
  const live = liveIn(environments, plan.environment);
  const from = live === null ? "nothing" : revisionText(live.variant);
  return `${plan.environment}: ${from} → ${revisionText(plan.to)}`;
}
