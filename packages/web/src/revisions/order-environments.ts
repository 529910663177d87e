import type { Environment } from "@agate/protocol";

/** The stages that a revision is promoted through, by their usual names. */
const STAGES: readonly (readonly string[])[] = [
  ["development", "dev"],
  ["staging", "stage"],
  ["production", "prod"],
];

/** Known stages first, in order; then the others in order of creation. */
export function orderEnvironments<Item extends Pick<Environment, "slug">>(
  environments: readonly Item[],
): readonly Item[] {
  return environments.toSorted((one, other) => stageOf(one.slug) - stageOf(other.slug));
}

/**
 * The environment that a revision is promoted to next; undefined for the last and for unknown stages.
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
