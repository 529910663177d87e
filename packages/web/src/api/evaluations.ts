import type { ApplicationEvaluations, NewPlatformRun, Run } from "@agate/protocol";
import { queryOptions } from "@tanstack/react-query";
import { applicationKey, applicationPath } from "./applications.ts";
import type { PlatformClient } from "./platform-client.ts";

function evaluationsPath(app: string): string {
  return `${applicationPath(app)}/evaluations`;
}

/** The evaluations of an application's newest build that has eval files. */
export function evaluationsQuery(client: PlatformClient, app: string) {
  return queryOptions({
    queryKey: [...applicationKey(client, app), "evaluations"],
    queryFn: ({ signal }) => client.get<ApplicationEvaluations>(evaluationsPath(app), { signal }),
  });
}

export function startRun(
  client: PlatformClient,
  app: string,
  evaluation: string,
  start: NewPlatformRun,
): Promise<Run> {
  const path = `${evaluationsPath(app)}/${encodeURIComponent(evaluation)}/runs`;
  return client.send<Run>("POST", path, start);
}
