import type { IncomingMessage, ServerResponse } from "node:http";
import type { AccessControl } from "../access/access-control.ts";
import type { RunningDeployer } from "../deployments/deployer.ts";
import type { ForwardTarget, GatewayProblem } from "../deployments/gateway/gateway.ts";
import { Gateway } from "../deployments/gateway/gateway.ts";
import type { ResponseHead } from "../deployments/gateway/response-head.ts";
import type { FoundService, ServiceDirectory } from "../deployments/services.ts";
import type { Applications } from "../registry/registry.ts";
import {
  type Admission,
  ALLOWED_PAGE,
  admit,
  breakOffWhenRevoked,
  environmentProblem,
  limitProblem,
  type Sender,
} from "./admit.ts";
import type { Answer } from "./answer.ts";
import { opaqueAnswer, problemAnswer, problemsAnswer } from "./answer.ts";
import { pathOf } from "./log/request-log.ts";
import type { HostPolicy } from "./origin-guard.ts";
import { checkHost, replaceCorsHeaders } from "./origin-guard.ts";
import type { Delivery } from "./send-answer.ts";
import { ENDPOINT_ACCESS, serviceEndpoint } from "./service-endpoint.ts";

export interface ServiceCallsOptions {
  readonly services: ServiceDirectory;
  readonly applications: Applications;
  readonly access: AccessControl;
  readonly hostPolicy: HostPolicy;
  /** Answers the contract's paths without a prefix, too. */
  readonly rootApplication: string | null;
  readonly deployer: Pick<RunningDeployer, "closing" | "catchUp">;
  /** Told of every call that was passed on, when it is over. */
  readonly onCall?: ((call: AnsweredCall) => void) | undefined;
  readonly deliver: Delivery;
  readonly answerError: (error: unknown, method: string, path: string) => Answer;
}

interface AdmittedCall {
  readonly target: ServiceTarget;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly admission: Extract<Admission, { readonly kind: "admitted" }>;
}

/** Calls of workflows. */
export interface ServiceCalls {
  /** Answers a request that is for a workflow. @returns whether it is. */
  handle(incoming: IncomingMessage, outgoing: ServerResponse): boolean;
  close(): void;
}

/** Passes calls on to the builds that serve, byte by byte in both directions. */
export function createServiceCalls(options: ServiceCallsOptions): ServiceCalls {
  const { services, applications, access, hostPolicy, deployer, deliver } = options;
  const gateway = new Gateway();

  function forward(
    target: ServiceTarget,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Answer | Promise<Answer | undefined> | undefined {
    const wrongHost = checkHost(hostPolicy, incoming);
    if (wrongHost !== undefined) return problemAnswer(wrongHost);
    const admission = admit(access, ENDPOINT_ACCESS[serviceEndpoint(target.path)], incoming);
    if (admission.kind === "rejected") return admission.answer;
    if (deployer.closing.aborted) return opaqueAnswer("shutting_down", { "retry-after": "5" });
    const call = { target, incoming, outgoing, admission };
    const found = services.find(admission.caller.project, target.application, null);
    if (found === undefined) return findService(call);
    return passOn(call, found);
  }

  /** @returns why the call is not passed on; undefined where it is. */
  function passOn(call: AdmittedCall, { service, environment }: FoundService): Answer | undefined {
    const { target, incoming, outgoing, admission } = call;
    const beyond =
      environment === null
        ? limitProblem(admission.caller)
        : environmentProblem(admission.caller, environment);
    if (beyond !== undefined) return problemAnswer(beyond);
    breakOffWhenRevoked(admission.caller, outgoing);
    const watching = options.onCall && watchCall(incoming, outgoing, options.onCall);
    const onHead = (head: ResponseHead) => {
      // Under the page's own name: a document of the workflow's must not act as the reader.
      if (admission.isByCookie) head.headers.push("content-security-policy", "sandbox");
      if ((incoming as Sender)[ALLOWED_PAGE]) replaceCorsHeaders(head);
      watching?.onHead?.(head);
    };
    const { path } = target;
    const forwarded = { service, path, onHead, onBreakOff: watching?.onBreakOff };
    gateway.forward(incoming, outgoing, forwarded, (problem) => {
      void deliver(gatewayAnswer(problem), outgoing);
    });
    return undefined;
  }

  /**
   * Looks for a service that this replica does not know. Another replica may have deployed or renamed
   * it a moment ago, and its client may call before the signal of the change arrives.
   */
  async function findService(call: AdmittedCall): Promise<Answer | undefined> {
    const { target, outgoing, admission } = call;
    const { project } = admission.caller;
    const application = await applications.get({ project, application: target.application });
    if (application.kind === "refused") return problemsAnswer(application.problems);
    const { id, slug, build } = application.value;
    if (build === null) {
      const msg = `No build serves ${slug}. Deploy one: agate deploy app.ts --app ${slug}.`;
      return problemAnswer({ type: "service_not_found", loc: ["path", "app"], msg });
    }
    await deployer.catchUp(id);
    const found = services.find(project, id, null);
    if (found === undefined) {
      const reason = `Build ${build} of ${slug} is being started.`;
      return gatewayAnswer({ kind: "service_unavailable", reason, retryAfterSeconds: 1 });
    }
    return outgoing.destroyed ? undefined : passOn(call, found);
  }

  return {
    handle(incoming, outgoing) {
      const target = serviceTarget(incoming.url ?? "", options.rootApplication);
      if (target === undefined) return false;
      const failed = (error: unknown) =>
        options.answerError(error, incoming.method ?? "", pathOf(incoming.url));
      try {
        const answer = forward(target, incoming, outgoing);
        if (answer instanceof Promise) {
          void answer.catch(failed).then((later) => later && deliver(later, outgoing));
        } else if (answer !== undefined) {
          void deliver(answer, outgoing);
        }
      } catch (error) {
        void deliver(failed(error), outgoing);
      }
      return true;
    },
    close: () => gateway.close(),
  };
}

function gatewayAnswer(problem: GatewayProblem): Answer {
  const { reason: msg } = problem;
  switch (problem.kind) {
    case "service_failed":
      return problemAnswer({ type: "service_failed", loc: [], msg });
    case "service_unavailable":
      return problemAnswer(
        { type: "service_unavailable", loc: [], msg },
        { "retry-after": String(problem.retryAfterSeconds) },
      );
    case "unsupported":
      return problemAnswer({ type: "request_malformed", loc: ["header"], msg });
  }
}

/** A call of a workflow that is over. */
export interface AnsweredCall {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** 499 where the client went away before the answer began. */
  readonly status: number;
  /** True where the client went away before the end of the answer. */
  readonly isCancelled: boolean;
  readonly ms: number;
  /** Of the call's trace; null where the workflow named none. */
  readonly traceId: string | null;
}

const CLIENT_CLOSED_REQUEST = 499;

/** Tells of a call when it is over. @returns what the gateway is to tell of it. */
function watchCall(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  onCall: (call: AnsweredCall) => void,
): Required<Pick<ForwardTarget, "onHead" | "onBreakOff">> {
  const started = performance.now();
  let traceId: string | null = null;
  let isBrokenOff = false;
  outgoing.once("close", () => {
    const { method = "", url } = incoming;
    const ms = performance.now() - started;
    const isCancelled = !outgoing.writableFinished && !isBrokenOff;
    const status =
      isCancelled && !outgoing.headersSent ? CLIENT_CLOSED_REQUEST : outgoing.statusCode;
    onCall({ method, path: pathOf(url), status, isCancelled, ms, traceId });
  });
  return {
    onHead: ({ headers }) => {
      const at = headers.findIndex(
        (text, n) => n % 2 === 0 && text.toLowerCase() === "traceparent",
      );
      traceId = /^\w\w-(\w{32})-/.exec(headers[at + 1] ?? "")?.[1] ?? null;
    },
    onBreakOff: () => {
      isBrokenOff = true;
    },
  };
}

/** What a request for a workflow asks for. */
interface ServiceTarget {
  /** The application, by slug or id. */
  readonly application: string;
  /** Path and query as the workflow gets them. */
  readonly path: string;
}

const SERVICE = /^\/services\/([^/?]+)([^?]*)(.*)$/s;
/** The contract's own paths. */
const WORKFLOW = /^\/(?:(?:playground\/)?run(?:\/[^?]*)?|generate(?:_deployed)?\/?)(?:\?.*)?$/s;

/**
 * Reads the target of a request; undefined where it is not for a workflow.
 *
 * @param rootApplication The application that answers the contract's paths without a prefix, too.
 */
export function serviceTarget(
  target: string,
  rootApplication: string | null,
): ServiceTarget | undefined {
  const match = SERVICE.exec(target);
  if (match !== null) {
    const [, application = "", path = "", query = ""] = match;
    return { application: decoded(application), path: `${path === "" ? "/" : path}${query}` };
  }
  if (rootApplication === null || !WORKFLOW.test(target)) return undefined;
  return { application: rootApplication, path: target };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // No name has a lone percent sign in it: it will not be found.
    return segment;
  }
}
