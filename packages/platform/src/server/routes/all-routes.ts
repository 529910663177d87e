import type { OpenAccess } from "../../access/open-access.ts";
import type { Backups } from "../../backup/take-backup.ts";
import type { RunningDeployer } from "../../deployments/deployer.ts";
import type { Evaluators } from "../../evaluations/evaluators.ts";
import type { RunExecutor } from "../../evaluations/run-executor.ts";
import type { IngestService } from "../../ingest/ingest-service.ts";
import type { Registry } from "../../registry/registry.ts";
import type { SpanStore } from "../../stores/span-store.ts";
import type { Answer } from "../answer.ts";
import type { ChangeStreams } from "../changes/change-streams.ts";
import type { Readiness } from "../health/readiness.ts";
import type { LiveFeeds } from "../live/live-feed.ts";
import type { PageFiles } from "../page/page-files.ts";
import { pageRoutes } from "../page/page-routes.ts";
import type { Route } from "../route.ts";
import { keyRoutes } from "./access/keys.ts";
import { projectRoutes } from "./access/projects.ts";
import { redactionRoutes } from "./access/redaction.ts";
import { sessionRoutes } from "./access/sessions.ts";
import { analyticsRoute } from "./analytics.ts";
import { buildArchiveRoute } from "./deployments/build-archive.ts";
import { buildRoutes, deployBuildRoute } from "./deployments/builds.ts";
import { logsRoute } from "./deployments/logs.ts";
import { serversRoute } from "./deployments/servers.ts";
import { serviceRoutes } from "./deployments/service-routes.ts";
import { langfuseRoutes } from "./foreign-scores/langfuse-routes.ts";
import { phoenixRoutes } from "./foreign-scores/phoenix-routes.ts";
import { healthRoutes } from "./health.ts";
import { ingestLogsRoutes } from "./ingest-logs.ts";
import { ingestMetricsRoutes } from "./ingest-metrics.ts";
import { ingestTracesRoutes } from "./ingest-traces.ts";
import { listRoute } from "./lists.ts";
import { liveRoute } from "./live.ts";
import { referenceRoutes } from "./reference.ts";
import { applicationSchemaRoutes } from "./registry/application-schema.ts";
import { changesRoute, configRoute } from "./registry/config.ts";
import { deploymentRoutes } from "./registry/deployments.ts";
import { applicationRoutes, environmentRoutes, variantRoutes } from "./registry/resources.ts";
import { diffRoute, forkRoute, revisionRoutes } from "./registry/revisions.ts";
import { scorerRoutes } from "./registry/scorers.ts";
import { variableRoutes } from "./registry/variables.ts";
import { declaredEvaluationsRoute } from "./runs/declared-evaluations.ts";
import { runItemRoutes } from "./runs/run-items.ts";
import { runRoutes } from "./runs/runs.ts";
import { startRunRoute } from "./runs/start-run.ts";
import { scoreAnalyticsRoute } from "./score-analytics.ts";
import { putScoresRoute } from "./scores.ts";
import { takeBackupRoute } from "./take-backup.ts";
import { testSetFileRoutes } from "./testsets/files.ts";
import { purgeRowRoute } from "./testsets/purge-row.ts";
import { testSetRevisionRoutes } from "./testsets/revisions.ts";
import { addSpansRoute } from "./testsets/spans.ts";
import { testSetRoutes } from "./testsets/test-sets.ts";
import { deleteTraceRoute, readSpanRoute, readTraceRoute } from "./traces.ts";

export interface RouteDependencies {
  readonly store: SpanStore;
  readonly ingest: IngestService;
  readonly access: Pick<OpenAccess, "control" | "keys" | "sessions" | "reload" | "redactionOf">;
  readonly registry: Registry;
  readonly backups: Backups;
  readonly feeds: LiveFeeds;
  readonly changes: ChangeStreams;
  readonly deployer: RunningDeployer;
  /** Carries out runs of evaluations. */
  readonly executor: Pick<RunExecutor, "startRun" | "notice">;
  readonly evaluators: Evaluators;
  readonly readiness: Pick<Readiness, "failing">;
  readonly page: PageFiles;
  readonly pageWaitMs?: number | undefined;
  /** Of a request's body as it is sent. */
  readonly maxBodyBytes: number;
  /** Of a build's archive. */
  readonly maxBuildBytes: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onStoreUnavailable: (reason: string) => void;
  /** Logs an unexpected error inside a stream, where it cannot be thrown. */
  readonly answerError: (error: unknown) => Answer;
}

/** Everything the platform serves, in the order of the reference. */
export function allRoutes(dependencies: RouteDependencies): readonly Route[] {
  const { store, ingest, access, registry, executor, feeds, maxBodyBytes, now } = dependencies;
  const deployment = {
    ...dependencies,
    applications: registry.applications,
    builds: registry.builds,
    closing: dependencies.deployer.closing,
  };
  const otlp = { ingest, maxBodyBytes, onUnavailable: dependencies.onStoreUnavailable };
  const scores = {
    store,
    redactionOf: access.redactionOf,
    now,
    onUnavailable: dependencies.onStoreUnavailable,
  };
  const routes: Route[] = [
    readTraceRoute(store),
    readSpanRoute(store),
    listRoute("traces", store),
    listRoute("spans", store),
    analyticsRoute(store, now),
    scoreAnalyticsRoute(store, now),
    liveRoute(feeds),
    deleteTraceRoute(store, dependencies.onStoreUnavailable),
    putScoresRoute(scores),
    ...ingestTracesRoutes(otlp),
    ...ingestLogsRoutes(otlp),
    ...ingestMetricsRoutes(otlp),
    ...langfuseRoutes(scores, registry.projects),
    ...phoenixRoutes(scores),
    ...registryRoutes(dependencies),
    ...testSetRoutes(registry.testSets, maxBodyBytes),
    ...testSetRevisionRoutes(registry.testSets, maxBodyBytes),
    purgeRowRoute(dependencies),
    ...testSetFileRoutes(registry.testSets, maxBodyBytes),
    addSpansRoute(registry.testSets, store, maxBodyBytes),
    declaredEvaluationsRoute(dependencies),
    ...runRoutes(registry, executor, maxBodyBytes),
    startRunRoute(registry, executor, maxBodyBytes),
    ...runItemRoutes({ ...dependencies, redactionOf: access.redactionOf }),
    ...deploymentRoutes(deployment),
    deployBuildRoute(deployment),
    ...buildRoutes(deployment),
    buildArchiveRoute(deployment),
    logsRoute(deployment),
    serversRoute(registry.reports, maxBodyBytes),
    ...serviceRoutes(),
    ...projectRoutes({ projects: registry.projects, store, reloadAccess: access.reload }),
    ...redactionRoutes({ redaction: registry.redaction, reloadAccess: access.reload }),
    ...keyRoutes(access.keys),
    ...sessionRoutes({
      control: access.control,
      sessions: access.sessions,
      projects: registry.projects,
    }),
    takeBackupRoute(dependencies.backups),
    ...healthRoutes({ closing: dependencies.deployer.closing, readiness: dependencies.readiness }),
    ...referenceRoutes(() => routes),
    ...pageRoutes(dependencies.page, {
      control: access.control,
      projects: registry.projects,
      store,
      waitMs: dependencies.pageWaitMs,
    }),
  ];
  return routes;
}

type RegistryRouteDependencies = Pick<
  RouteDependencies,
  "registry" | "changes" | "deployer" | "maxBodyBytes" | "onStoreUnavailable"
>;

/** Applications and their configurations, in the order of docs/reference/registry-api.md. */
function registryRoutes(dependencies: RegistryRouteDependencies): readonly Route[] {
  const { registry, changes, maxBodyBytes } = dependencies;
  return [
    ...applicationRoutes(registry, maxBodyBytes),
    ...applicationSchemaRoutes(registry, maxBodyBytes),
    ...variantRoutes(registry, maxBodyBytes),
    forkRoute(registry, maxBodyBytes),
    ...revisionRoutes(registry, maxBodyBytes),
    diffRoute(registry, maxBodyBytes),
    ...scorerRoutes(registry, maxBodyBytes),
    ...environmentRoutes(registry, maxBodyBytes),
    ...variableRoutes(dependencies),
    configRoute(registry, maxBodyBytes),
    changesRoute(registry, changes, maxBodyBytes),
  ];
}
