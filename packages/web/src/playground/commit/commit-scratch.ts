import type { Revision, RouteParams } from "@agate/protocol";
import { ApiError } from "../../api/api-error.ts";
import { readVariants } from "../../api/applications.ts";
import type { PlatformClient } from "../../api/platform-client.ts";
import { commitRevision, createVariant } from "../../api/registry-changes.ts";
import { SCRATCH_VARIANT } from "../../revisions/scratch-badge.tsx";

/** Others may commit their drafts at the same time. */
const MOST_ATTEMPTS = 5;

export interface ScratchCommit {
  readonly app: string;
  /** Whose build it is checked against; null is the application's. */
  readonly environment: string | null;
  readonly params: RouteParams;
  readonly message: string;
}

/**
 * Commits a draft to the variant `scratch`, which is created if it is missing. Its revisions are
 * unrelated to each other: after a conflict the draft is committed on top, with nothing to merge.
 */
export async function commitScratch(
  client: PlatformClient,
  { app, environment, params, message }: ScratchCommit,
): Promise<Revision> {
  for (let attempt = 1; ; attempt += 1) {
    const found = await latestScratch(client, app);
    try {
      if (found === null) await createVariant(client, app, SCRATCH_VARIANT);
      return await commitRevision(client, app, SCRATCH_VARIANT, {
        params,
        base_revision: found ?? 0,
        message,
        ...(environment !== null && { environment }),
      });
    } catch (error) {
      const isConflict =
        error instanceof ApiError && (error.has("revision_stale") || error.has("slug_taken"));
      if (!isConflict || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

/** The latest revision of `scratch`, 0 while it has none; null where there is no such variant. */
async function latestScratch(client: PlatformClient, app: string): Promise<number | null> {
  const variants = await readVariants(client, app);
  return variants.find(({ slug }) => slug === SCRATCH_VARIANT)?.latest_revision ?? null;
}
