import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { getRequestListener, RequestError } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Logger } from "pino";
import type { OpenAccess } from "../access/open-access.ts";
import type { Backups } from "../backup/backups.ts";
import type { RunningDeployer } from "../deployments/deployer.ts";
import type { ServiceDirectory } from "../deployments/service-directory.ts";
import type { IngestService } from "../ingest/ingest-service.ts";
import type { Registry } from "../registry/registry.ts";
import {
  QueryAbandonedError,
  QueryQueueFullError,
  QueryTimeoutError,
} from "../stores/query-lane.ts";
import { RegistryUnavailableError } from "../stores/registry/registry-unavailable-error.ts";
import { DamagedSegmentError } from "../stores/segments/segment-checksum.ts";
import type { SpanStore } from "../stores/span-store.ts";
import { StoreUnavailableError } from "../stores/store-unavailable-error.ts";
import { isDescriptorShortage } from "../threads/descriptor-shortage.ts";
import { admit } from "./admit.ts";
import type { Answer } from "./answer.ts";
import { answerResponse } from "./answer-response.ts";
import { ChangeStreams } from "./changes/change-streams.ts";
import { Cors } from "./cors.ts";
import { createDelivery, pathOf } from "./deliver.ts";
import { opaqueAnswer, problemAnswer } from "./errors/error-answer.ts";
import type { Readiness } from "./health/readiness.ts";
import type { GuardedRequest, HostPolicy } from "./host-guard.ts";
import { checkHost } from "./host-guard.ts";
import { LiveFeeds } from "./live/live-feed.ts";
import { PageFiles } from "./page/page-files.ts";
import { routeApp } from "./route-app.ts";
import { allRoutes } from "./routes/all-routes.ts";
import { closeSignal } from "./routes/route.ts";
import { answerTree } from "./routes/tree-answer.ts";
import { createServiceCalls } from "./services/service-calls.ts";
import { serviceTarget } from "./services/service-target.ts";
import type { AnsweredCall } from "./services/watch-call.ts";
import { credentialsOf } from "./session/sender.ts";

export interface HttpAppOptions {
  readonly store: SpanStore;
  readonly ingest: IngestService;
  readonly access: Pick<OpenAccess, "control" | "keys" | "sessions" | "lookUp" | "reload">;
  readonly registry: Registry;
  readonly backups: Backups;
  readonly deployer: RunningDeployer;
  /** Whether calls may be sent here. */
  readonly readiness: Pick<Readiness, "failing">;
  /** Which build answers for which application. */
  readonly services: ServiceDirectory;
  /** The application that answers the contract's paths without a prefix, too. */
  readonly rootApplication: string | null;
  /** Told of every call of a workflow, when it is over. */
  readonly onCall?: ((call: AnsweredCall) => void) | undefined;
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
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** The platform as something that answers requests. */
export interface HttpApp {
  readonly fetch: (request: Request) => Promise<Response>;
  /** For `node:http`. */
  readonly listener: (incoming: IncomingMessage, outgoing: ServerResponse) => void;
  /** Ends the streams that would never end by themselves. */
  close(): void;
}

/** A trace by its id as the store knows it, and nothing else to read. */
const TRACE_TARGET = /^\/observability\/traces\/([0-9a-f]{32})\/?$/;

/** What browsers send traces to. */
const INGEST_TARGET = /^\/v1\/traces\/?(?:\?|$)/;

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
  const answerError = (err: unknown, method: string, path: string): Answer => {
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
    readiness: options.readiness,
    page,
    maxBodyBytes,
    maxBuildBytes: options.maxBuildBytes,
    now,
    onStoreUnavailable: (reason) => log.error({ reason }, "The store could not write."),
    answerError: (error) => answerError(error, "", ""),
  });
  const app = routeApp(routes, access.control, deliver, answerError, page);
  const calls = createServiceCalls({
    services: options.services,
    applications: registry.applications,
    access: access.control,
    hostPolicy,
    rootApplication: options.rootApplication,
    onCall: options.onCall,
    deployer,
    deliver,
    answerError,
  });

  const cors = corsOf(options);

  const fetch = async (request: Request, env: Partial<HttpBindings> = {}): Promise<Response> => {
    const refused = checkHost(hostPolicy, env.incoming ?? guardedRequest(request));
    if (refused === undefined) {
      const response = await app.fetch(request, env);
      // Hono wraps the answer to HEAD in a new response, which no longer says that it was sent.
      return env.outgoing?.headersSent === true ? RESPONSE_ALREADY_SENT : response;
    }
    const answer = problemAnswer(refused);
    if (env.outgoing === undefined) return answerResponse(answer);
    await deliver(answer, env.outgoing);
    return RESPONSE_ALREADY_SENT;
  };

  const general = getRequestListener((request, env) => fetch(request, env as HttpBindings), {
    errorHandler: (error) =>
      answerResponse(error instanceof RequestError ? malformed(error) : answerError(error, "", "")),
  });

  /**
   * The hottest route by itself: Hono and the web objects around it cost as much as the read. A
   * trace that the store has at hand is sent without a promise in between.
   */
  const traceRead = (project: string, traceId: string, outgoing: ServerResponse): void => {
    const failed = (error: unknown) =>
      deliver(answerError(error, outgoing.req.method ?? "", pathOf(outgoing.req.url)), outgoing);
    try {
      const answer = answerTree(store, project, { kind: "trace", traceId }, () =>
        closeSignal(outgoing),
      );
      if (answer instanceof Promise) {
        answer.then((later) => deliver(later, outgoing)).catch(failed);
      } else {
        void deliver(answer, outgoing);
      }
    } catch (error) {
      void failed(error);
    }
  };

  const take = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    if (cors?.take(incoming, outgoing)) return;
    if (calls.take(incoming, outgoing)) return;
    const { host } = incoming.headers;
    const match = incoming.method === "GET" ? TRACE_TARGET.exec(incoming.url ?? "") : null;
    if (match === null || host === undefined) {
      void general(incoming, outgoing);
      return;
    }
    const refused = checkHost(hostPolicy, incoming);
    if (refused !== undefined) {
      void deliver(problemAnswer(refused), outgoing);
      return;
    }
    const admission = admit(access.control, "read", incoming);
    if (admission.kind === "turned-away") void deliver(admission.answer, outgoing);
    else traceRead(admission.caller.project, match[1] ?? "", outgoing);
  };

  return {
    fetch,
    listener(incoming, outgoing) {
      const newcomer = access.lookUp?.(credentialsOf(incoming));
      if (newcomer === undefined) take(incoming, outgoing);
      else void newcomer.then(() => take(incoming, outgoing));
    },
    close() {
      feeds.close();
      changes.close();
      calls.close();
    },
  };
}

function corsOf({ corsOrigins = [], hostPolicy, rootApplication }: HttpAppOptions) {
  if (corsOrigins.length === 0) return undefined;
  return new Cors({
    origins: corsOrigins,
    hostPolicy,
    isOpen: (target) =>
      INGEST_TARGET.test(target) || serviceTarget(target, rootApplication) !== undefined,
  });
}

/** A request that came over no socket: its URL names the host. */
function guardedRequest({ method, url, headers }: Request): GuardedRequest {
  const { host, pathname, search } = new URL(url);
  return {
    method,
    url: `${pathname}${search}`,
    headers: { host, ...Object.fromEntries(headers) },
  };
}

function queueFullAnswer(): Answer {
  return opaqueAnswer("query_queue_full", { "retry-after": RETRY_AFTER_SECONDS });
}

function malformed({ message }: RequestError): Answer {
  return problemAnswer({ type: "request_malformed", loc: [], msg: `${message}.` });
}
