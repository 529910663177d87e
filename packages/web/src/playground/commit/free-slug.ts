import type { KnownConfigs } from "../state/column-base.ts";
import type { RevisionName } from "../state/workspace.ts";

/** A name for a new variant that none has: `default` for the first, then `default-2`, … */
export function freeSlug(base: RevisionName | null, { variants }: KnownConfigs): string {
  const taken = new Set(variants.map(({ slug }) => slug));
  const stem = base?.variant ?? "default";
  if (!taken.has(stem)) return stem;
  let number = 2;
  while (taken.has(`${stem}-${number}`)) number += 1;
  return `${stem}-${number}`;
}
