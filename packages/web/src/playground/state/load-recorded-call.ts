import type { RouteSchema } from "@agate/protocol";
import type { QueryClient } from "@tanstack/react-query";
import { ApiError } from "../../api/api-error.ts";
import { revisionQuery } from "../../api/applications.ts";
import type { PlatformClient } from "../../api/platform-client.ts";
import { spanQuery } from "../../api/span.ts";
import { shownName } from "../../spans/shown-name.ts";
import type { LoadedWorkspace } from "./load-workspace.ts";
import { revisionOf, workspaceOfCall } from "./recorded-call.ts";
import type { RevisionName } from "./workspace.ts";

/**
 * A recorded call, set up to be run again.
 *
 * @throws ApiError where the span is not there.
 */
export async function loadRecordedCall(
  client: PlatformClient,
  queries: QueryClient,
  app: string,
  route: RouteSchema,
  spanId: string,
): Promise<LoadedWorkspace> {
  const span = await queries.fetchQuery(spanQuery(client, spanId));
  const name = revisionOf(span);
  const base = name && (await paramsOf(client, queries, app, name));
  const unknown = Object.keys(span.config ?? {}).filter(
    (field) => !Object.hasOwn(route.config, field),
  );
  const notices = [
    name !== null &&
      base === null &&
      `${shownName(name.variant)}@${name.revision} is no longer there.`,
    unknown.length > 0 && `${route.route} no longer takes ${unknown.join(", ")}: left out here.`,
  ];
  return {
    workspace: workspaceOfCall(span, route, base),
    notice: notices.filter((notice) => notice !== false).join(" ") || null,
  };
}

async function paramsOf(
  client: PlatformClient,
  queries: QueryClient,
  app: string,
  name: RevisionName,
) {
  try {
    const query = revisionQuery(client, app, name.variant, name.revision);
    return { name, params: (await queries.fetchQuery(query)).params };
  } catch (error) {
    // Deleted since, or of a configuration file that the registry never had.
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
