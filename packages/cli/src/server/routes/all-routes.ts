import type { IngestService } from "../../ingest/ingest-service.ts";
import type { SpanStore } from "../../stores/span-store.ts";
import type { LiveFeed } from "../live/live-feed.ts";
import { analyticsRoute } from "./analytics.ts";
import { deleteTraceRoute } from "./delete-trace.ts";
import { docsFileRoute, docsRoute } from "./docs.ts";
import { healthRoute } from "./health.ts";
import { homeRoute } from "./home.ts";
import { ingestTracesRoute } from "./ingest-traces.ts";
import { listRoute } from "./list-routes.ts";
import { liveRoute } from "./live.ts";
import { openapiRoute } from "./openapi.ts";
import { readSpanRoute } from "./read-span.ts";
import { readTraceRoute } from "./read-trace.ts";
import type { Route } from "./route.ts";

export interface RouteDependencies {
  readonly store: SpanStore;
  readonly ingest: IngestService;
  readonly feed: LiveFeed;
  /** Whose spans are read and written. */
  readonly project: string;
  /** Of a request's body as it is sent. */
  readonly maxBodyBytes: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onStoreUnavailable: (reason: string) => void;
}

/** Everything the platform serves, in the order of the reference. */
export function allRoutes(dependencies: RouteDependencies): readonly Route[] {
  const { store, ingest, feed, project, maxBodyBytes, now } = dependencies;
  const routes: Route[] = [
    readTraceRoute(store, project),
    readSpanRoute(store, project),
    listRoute("traces", store, project),
    listRoute("spans", store, project),
    analyticsRoute(store, project, now),
    liveRoute(feed),
    deleteTraceRoute(store, project, dependencies.onStoreUnavailable),
    ingestTracesRoute({
      ingest,
      project,
      maxBodyBytes,
      onUnavailable: dependencies.onStoreUnavailable,
    }),
    healthRoute(),
    openapiRoute(() => routes),
    docsRoute(),
    docsFileRoute(),
    homeRoute(),
  ];
  return routes;
}
