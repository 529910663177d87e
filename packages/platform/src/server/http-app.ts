import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "pino";
import type { OpenAccess } from "../access/open-access.ts";
import type { Backups } from "../backup/take-backup.ts";
import type { RunningDeployer } from "../deployments/deployer.ts";
import type { GatewayOptions } from "../deployments/gateway/gateway.ts";
import type { ServiceDirectory } from "../deployments/services.ts";
import type { Evaluators } from "../evaluations/evaluators.ts";
import type { RunExecutor } from "../evaluations/run-executor.ts";
import type { IngestService } from "../ingest/ingest-service.ts";
import type { Registry } from "../registry/registry.ts";
import {
  QueryAbandonedError,
  QueryQueueFullError,
  QueryTimeoutError,
} from "../stores/query-lane.ts";
import { DamagedSegmentError } from "../stores/segments/segment.ts";
import type { SpanStore } from "../stores/span-store.ts";
import { RegistryUnavailableError, StoreUnavailableError } from "../stores/store-errors.ts";
import { isDescriptorShortage } from "../threads/spawn-thread.ts";
import { credentialsOf } from "./admit.ts";
import type { Answer } from "./answer.ts";
import { opaqueAnswer, problemAnswer } from "./answer.ts";
import type { AnsweredCall } from "./answered-call.ts";
import { ChangeStreams } from "./changes/change-streams.ts";
import { createDispatcher } from "./dispatcher.ts";
import type { Readiness } from "./health/readiness.ts";
import { LiveFeeds } from "./live/live-feed.ts";
import type { HostPolicy } from "./origin-guard.ts";
import { Cors } from "./origin-guard.ts";
import { PageFiles } from "./page/page-files.ts";
import { allRoutes } from "./routes/all-routes.ts";
import { createDelivery } from "./send-answer.ts";
import { createServiceCalls } from "./service-calls.ts";
import { serviceTarget } from "./service-target.ts";

export interface HttpAppOptions {
  readonly store: SpanStore;
  readonly ingest: IngestService;
  readonly access: Pick<
    OpenAccess,
    "control" | "keys" | "sessions" | "lookUp" | "reload" | "redactionOf"
  >;
  readonly registry: Registry;
  readonly backups: Backups;
  readonly deployer: RunningDeployer;
  /** Carries out runs of evaluations. */
  readonly executor: Pick<RunExecutor, "startRun" | "notice">;
  /** Starts the code of applications with its eval files. */
  readonly evaluators: Evaluators;
  /** Whether calls may be sent here. */
  readonly readiness: Pick<Readiness, "failing">;
  /** Which build answers for which application. */
  readonly services: ServiceDirectory;
  /** The application that answers the contract's paths without a prefix, too. */
  readonly rootApplication: string | null;
  /** Told of every call of a workflow, when it is over. */
  readonly onCall?: ((call: AnsweredCall) => void) | undefined;
  /** Told of every deployed route that is called, with the environment's id. */
  readonly onRoute?: ((environment: string, route: string) => void) | undefined;
  /** Limits of the gateway, where they are not its own. */
  readonly gateway?: GatewayOptions | undefined;
  readonly log: Logger;
  readonly hostPolicy: HostPolicy;
  /** Pages of other origins that may call workflows and send traces; none where it is not given. */
  readonly corsOrigins?: readonly string[] | undefined;
  /** Of a request's body as it is sent. */
  readonly maxBodyBytes: number;
  /** Of a build's archive. */
  readonly maxBuildBytes: number;
  /** Where the built page is, if not beside the program. */
  readonly pageFolder?: URL;
  /** How long the page's document waits for what is put into it, where it is not the default. */
  readonly pageWaitMs?: number | undefined;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** The platform as something that answers requests. */
export interface HttpApp {
  /** For `node:http`. */
  readonly listener: (incoming: IncomingMessage, outgoing: ServerResponse) => void;
  /** Ends live streams, which have no end of their own. */
  close(): void;
}

/** What a page may send: telemetry, and judgements of its visitors. */
const SENT_BY_PAGES =
  /^\/(?:(?:(?:api\/public\/otel|api\/otlp|otel)\/)?v1\/(?:traces|logs|metrics)|observability\/scores)\/?(?:\?|$)/;

const RETRY_AFTER_SECONDS = "5";

/**
 * Makes the platform's HTTP face from its parts.
 *
 * @example const app = createHttpApp({ store, ingest, access, registry, deployer, services, log, … })
 */
export function createHttpApp(options: HttpAppOptions): HttpApp {
  const {
    store,
    ingest,
    access,
    registry,
    deployer,
    log,
    hostPolicy,
    maxBodyBytes,
    now = Date.now,
  } = options;
  const feeds = new LiveFeeds({
    store,
    onError: (err) => log.error({ err }, "Live events could not be read."),
  });
  const changes = new ChangeStreams({
    registry,
    onError: (err) => log.error({ err }, "An application could not be looked up."),
  });
  const deliver = createDelivery(log);
  const answerError = createErrorAnswer(log);
  const page = new PageFiles(options.pageFolder);
  const routes = allRoutes({
    store,
    ingest,
    access,
    registry,
    backups: options.backups,
    feeds,
    changes,
    deployer,
    executor: options.executor,
    evaluators: options.evaluators,
    readiness: options.readiness,
    page,
    pageWaitMs: options.pageWaitMs,
    maxBodyBytes,
    maxBuildBytes: options.maxBuildBytes,
    now,
    onStoreUnavailable: (reason) => log.error({ reason }, "The store could not write."),
    answerError: (error) => answerError(error, "", ""),
  });
  const dispatch = createDispatcher({
    routes,
    access: access.control,
    hostPolicy,
    page,
    deliver,
    answerError,
  });
  const calls = createServiceCalls({
    services: options.services,
    registry,
    access: access.control,
    hostPolicy,
    rootApplication: options.rootApplication,
    onCall: options.onCall,
    gateway: options.gateway,
    onRoute: options.onRoute,
    deployer,
    deliver,
    answerError,
  });

  const cors = corsOf(options);

  const handle = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    if (cors?.handle(incoming, outgoing)) return;
    if (calls.handle(incoming, outgoing)) return;
    dispatch(incoming, outgoing);
  };

  return {
    listener(incoming, outgoing) {
      const newcomer = access.lookUp?.(credentialsOf(incoming, "any"));
      if (newcomer === undefined) handle(incoming, outgoing);
      else void newcomer.then(() => handle(incoming, outgoing));
    },
    close() {
      feeds.close();
      changes.close();
      calls.close();
    },
  };
}

type ErrorAnswer = (error: unknown, method: string, path: string) => Answer;

/** Makes the answer for an error that a route has thrown, and logs what the client must not see. */
function createErrorAnswer(log: Logger): ErrorAnswer {
  return (err, method, path) => {
    if (err instanceof StoreUnavailableError) {
      const what = err instanceof RegistryUnavailableError ? "registry" : "store";
      log.error({ reason: err.reason, method, path }, `The ${what} could not be used.`);
      return opaqueAnswer("store_unavailable", { "retry-after": RETRY_AFTER_SECONDS });
    }
    if (err instanceof DamagedSegmentError) {
      log.error({ trace: err.traceId, err: err.cause, method, path }, "A trace is damaged.");
      return problemAnswer({ type: "trace_damaged", loc: [], msg: err.message });
    }
    if (err instanceof QueryQueueFullError) {
      log.warn({ method, path }, "Too many queries wait: one was refused.");
      return queueFullAnswer();
    }
    if (err instanceof QueryTimeoutError) {
      log.warn({ method, path, timeoutMs: err.timeoutMs }, "A query was stopped at its deadline.");
      return opaqueAnswer("query_timeout");
    }
    // No client is left to read it.
    if (err instanceof QueryAbandonedError) return queueFullAnswer();
    if (isDescriptorShortage(err)) {
      log.error({ err, method, path }, "No file descriptors are left.");
      return opaqueAnswer("resources_exhausted", { "retry-after": RETRY_AFTER_SECONDS });
    }
    log.error({ err, method, path }, "A request failed.");
    return opaqueAnswer("internal_error");
  };
}

function corsOf({ corsOrigins = [], hostPolicy, rootApplication }: HttpAppOptions) {
  if (corsOrigins.length === 0) return undefined;
  return new Cors({
    origins: corsOrigins,
    hostPolicy,
    isOpen: (target) =>
      SENT_BY_PAGES.test(target) || serviceTarget(target, rootApplication) !== undefined,
  });
}

function queueFullAnswer(): Answer {
  return opaqueAnswer("query_queue_full", { "retry-after": RETRY_AFTER_SECONDS });
}
