import type { Environment } from "@agate/protocol";

/** The way that a revision goes, as far as its names tell. */
const STAGES: readonly (readonly string[])[] = [
  ["development", "dev"],
  ["staging", "stage"],
  ["production", "prod"],
];

/** Those of the way first, as they follow on each other; the others as they were made. */
export function orderEnvironments<Item extends Pick<Environment, "slug">>(
  environments: readonly Item[],
): readonly Item[] {
  return environments.toSorted((one, other) => stageOf(one.slug) - stageOf(other.slug));
}

/**
 * The environment that one is promoted to from another; undefined at the end of the way, and beside it.
 */
export function nextEnvironment<Item extends Pick<Environment, "slug">>(
  environments: readonly Item[],
  slug: string,
): Item | undefined {
  const stage = stageOf(slug);
  if (stage === STAGES.length) return undefined;
  return orderEnvironments(environments).find((other) => {
    const next = stageOf(other.slug);
    return next > stage && next < STAGES.length;
  });
}

function stageOf(slug: string): number {
  const stage = STAGES.findIndex((names) => names.includes(slug));
  return stage === -1 ? STAGES.length : stage;
}
