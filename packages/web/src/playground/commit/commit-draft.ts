import type { Revision, RouteParams } from "@agate/protocol";
import { diffParams } from "@agate/protocol";
import { variantPath } from "../../api/applications.ts";
import type { PlatformClient } from "../../api/platform-client.ts";
import { commitRevision, createVariant, forkVariant } from "../../api/registry-changes.ts";
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
