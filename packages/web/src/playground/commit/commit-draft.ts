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
  withDefaults,
} from "../../config-form/config-values.ts";
import type { ReadyColumn } from "../columns/column-view.ts";
import type { KnownConfigs } from "../state/column-base.ts";
import type { RevisionName } from "../state/workspace.ts";

/** A commit to send to the registry. */
export interface DraftCommit {
  readonly app: string;
  /** Whose build it is checked against; null is the application's. */
  readonly environment: string | null;
  /** The revision that the draft is based on; null for the schema defaults. */
  readonly base: RevisionName | null;
  readonly baseParams: RouteParams;
  readonly params: RouteParams;
  readonly message: string;
  /** The variant to create; null commits to the variant of the base. */
  readonly newVariant: string | null;
}

/**
 * Commits a draft. A new variant is forked from the base first, so that the registry records its origin.
 *
 * @param created The variants that an earlier attempt created before its commit was rejected.
 */
export async function commitDraft(
  client: PlatformClient,
  { app, environment, base, baseParams, params, message, newVariant }: DraftCommit,
  created: Set<string>,
): Promise<Revision> {
  const text = message.trim();
  const checked = environment === null ? {} : { environment };
  if (newVariant === null) {
    if (base === null) throw new Error("The first commit needs a variant name.");
    const commit = { params, base_revision: base.revision, message: text, ...checked };
    return commitRevision(client, app, base.variant, commit);
  }
  const isFork = base !== null && base.revision > 0;
  if (!created.has(newVariant)) {
    if (isFork) {
      const fork = { slug: newVariant, revision: base.revision, message: text };
      await forkVariant(client, app, base.variant, fork);
    } else {
      await createVariant(client, app, newVariant);
    }
    created.add(newVariant);
  }
  if (isFork && diffParams(baseParams, params).length === 0) {
    return client.get<Revision>(`${variantPath(app, newVariant)}/revisions/1`);
  }
  const commit = { params, base_revision: isFork ? 1 : 0, message: text, ...checked };
  return commitRevision(client, app, newVariant, commit);
}

/**
 * The parameters that committing a column sends. Fields that the base leaves to their defaults stay unset
 * unless the draft changes them: the registry stores the defaults of the code for them, which are no
 * changes of the user's.
 */
export function draftParams(
  routes: readonly RouteSchema[],
  route: string,
  { params, baseValues, values }: ReadyColumn,
): RouteParams {
  const stored = ownField(params, route) ?? {};
  const changes = changedFields(baseValues, values);
  return committedParams(routes, params, route, { ...stored, ...changes });
}

/**
 * The values of one route, and the base's parameters of all others. Fields that no route has any more are
 * left out, because the registry would reject them; the diff shows that.
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

/** The values that calls get: the code's defaults where nothing is set. */
export function effectiveParams(routes: readonly RouteSchema[], params: RouteParams): RouteParams {
  const known = routes.map((schema) => {
    const values = ownField(params, schema.route) ?? {};
    return [schema.route, withDefaults(schema, values)] as const;
  });
  return { ...params, ...Object.fromEntries(known) };
}

/** An unused name for a new variant: `default` for the first, then `default-2`, … */
export function freeSlug(base: RevisionName | null, { variants }: KnownConfigs): string {
  const taken = new Set(variants.map(({ slug }) => slug));
  const stem = base?.variant ?? "default";
  if (!taken.has(stem)) return stem;
  let number = 2;
  while (taken.has(`${stem}-${number}`)) number += 1;
  return `${stem}-${number}`;
}
