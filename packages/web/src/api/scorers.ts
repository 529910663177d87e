import type { ScorerConfigs, ScorersRevision } from "@agate/protocol";
import { queryOptions } from "@tanstack/react-query";
import { ApiError } from "./api-error.ts";
import { applicationKey, applicationPath } from "./applications.ts";
import type { PlatformClient } from "./platform-client.ts";

function scorersPath(app: string): string {
  return `${applicationPath(app)}/scorers`;
}

/** The latest configurations of an application's scorers; null before the first commit. */
export function scorersQuery(client: PlatformClient, app: string) {
  return queryOptions({
    queryKey: [...applicationKey(client, app), "scorers"],
    queryFn: async ({ signal }): Promise<ScorersRevision | null> => {
      try {
        return await client.get<ScorersRevision>(`${scorersPath(app)}/latest`, { signal });
      } catch (error) {
        if (error instanceof ApiError && error.has("revision_not_found")) return null;
        throw error;
      }
    },
  });
}

export interface ScorersCommit {
  readonly configs: ScorerConfigs;
  /** What it was made from; 0 for the first. Refused as `revision_stale` where another came first. */
  readonly base_revision: number;
  readonly message: string;
}

export function commitScorers(client: PlatformClient, app: string, commit: ScorersCommit) {
  return client.send<ScorersRevision>("POST", scorersPath(app), commit);
}
