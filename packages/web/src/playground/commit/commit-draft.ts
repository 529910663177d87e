import type { Revision, RouteParams, RouteSchema } from "@agate/protocol";
import { diffParams } from "@agate/protocol";
import { variantPath } from "../../api/applications.ts";
import type { PlatformClient } from "../../api/platform-client.ts";
import { commitRevision, createVariant, forkVariant } from "../../api/registry-changes.ts";
import {
  type ConfigValues,
  changedFields,
  knownFields,
  ownField,
} from "../../config-form/config-values.ts";
import type { ReadyColumn } from "../columns/column-view.ts";
import type { KnownConfigs } from "../state/column-base.ts";
import type { RevisionName } from "../state/workspace.ts";

/** A draft on its way into the registry. */
export interface DraftCommit {
  readonly app: string;
  /** What it is made from; null for the schema's defaults. */
  readonly base: RevisionName | null;
  readonly baseParams: RouteParams;
  readonly params: RouteParams;
  readonly message: string;
  /** The variant to make; null commits on top of the base. */
  readonly newVariant: string | null;
}

/**
 * Commits a draft. A new variant is forked from the base first, so that it is known where it comes
 * from.
 *
 * @param made The variants that an earlier attempt has made, before it was refused: not made again.
 */
export async function commitDraft(
  client: PlatformClient,
  { app, base, baseParams, params, message, newVariant }: DraftCommit,
  made: Set<string>,
): Promise<Revision> {
  const text = message.trim();
  if (newVariant === null) {
    if (base === null) throw new Error("A first commit needs the name of a variant.");
    const commit = { params, base_revision: base.revision, message: text };
    return commitRevision(client, app, base.variant, commit);
  }
  const isFork = base !== null && base.revision > 0;
  if (!made.has(newVariant)) {
    if (isFork) {
      const fork = { slug: newVariant, revision: base.revision, message: text };
      await forkVariant(client, app, base.variant, fork);
    } else {
      await createVariant(client, app, newVariant);
    }
    made.add(newVariant);
  }
  if (isFork && diffParams(baseParams, params).length === 0) {
    return client.get<Revision>(`${variantPath(app, newVariant)}/revisions/1`);
  }
  const commit = { params, base_revision: isFork ? 1 : 0, message: text };
  return commitRevision(client, app, newVariant, commit);
}

/**
 * The parameters of a column as they would be committed. Fields that the base leaves to their defaults
 * stay so, unless the draft changes them; what is made from nothing but defaults says them all, so
 * that it stays as it is when the code's defaults change.
 */
export function draftParams(
  routes: readonly RouteSchema[],
  route: string,
  { base, params, baseValues, values }: ReadyColumn,
): RouteParams {
  const isNew = base === null || base.revision === 0;
  const stored = isNew ? values : (ownField(params, route) ?? {});
  const changes = changedFields(baseValues, values);
  return committedParams(routes, params, route, { ...stored, ...changes });
}

/**
 * What is committed: the configuration of this route, and the base's of every other. What no route
 * takes any more is left out, because the registry would refuse it; the diff shows that.
 */
export function committedParams(
  routes: readonly RouteSchema[],
  base: RouteParams,
  route: string,
  values: ConfigValues,
): RouteParams {
  const entries = routes.flatMap((schema) => {
    const given = schema.route === route ? values : ownField(base, schema.route);
    return given === undefined ? [] : [[schema.route, knownFields(schema, given)] as const];
  });
  return Object.fromEntries(entries);
}

/** A name for a new variant that none has: `default` for the first, then `default-2`, … */
export function freeSlug(base: RevisionName | null, { variants }: KnownConfigs): string {
  const taken = new Set(variants.map(({ slug }) => slug));
  const stem = base?.variant ?? "default";
  if (!taken.has(stem)) return stem;
  let number = 2;
  while (taken.has(`${stem}-${number}`)) number += 1;
  return `${stem}-${number}`;
}
