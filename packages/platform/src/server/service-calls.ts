import type { IncomingMessage, ServerResponse } from "node:http";
import type { AccessControl } from "../access/access-control.ts";
import type { Caller } from "../access/caller.ts";
import type { RunningDeployer } from "../deployments/deployer.ts";
import { EnvironmentScanner } from "../deployments/gateway/environment-scanner.ts";
import type { GatewayProblem } from "../deployments/gateway/exchange.ts";
import { ENVIRONMENT_HEADER } from "../deployments/gateway/forwarded-request.ts";
import type { ForwardTarget, GatewayOptions } from "../deployments/gateway/gateway.ts";
import { Gateway } from "../deployments/gateway/gateway.ts";
import type { ResponseHead } from "../deployments/gateway/response-head.ts";
import { servicePath } from "../deployments/service-path.ts";
import type { FoundService, HostedEnvironment, ServiceDirectory } from "../deployments/services.ts";
import type { Registry } from "../registry/registry.ts";
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
import { opaqueAnswer, problemAnswer } from "./answer.ts";
import { type AnsweredCall, watchCall } from "./answered-call.ts";
import { pathOf } from "./log/request-log.ts";
import type { HostPolicy } from "./origin-guard.ts";
import { checkHost, replaceCorsHeaders } from "./origin-guard.ts";
import type { Delivery } from "./send-answer.ts";
import { ENDPOINT_ACCESS, type ServiceEndpoint, serviceEndpoint } from "./service-endpoint.ts";
import { createServiceLookup, isFound, playgroundOffProblem } from "./service-lookup.ts";
import type { NamedEnvironment, ServiceTarget } from "./service-target.ts";
import { inBody, inHeader, inPath, serviceTarget } from "./service-target.ts";

export interface ServiceCallsOptions {
  readonly services: ServiceDirectory;
  readonly registry: Pick<Registry, "applications" | "environments">;
  readonly access: AccessControl;
  readonly hostPolicy: HostPolicy;
  /** Answers the contract's paths without a prefix, too. */
  readonly rootApplication: string | null;
  readonly deployer: Pick<RunningDeployer, "closing" | "catchUp">;
  /** Told of every call that was passed on, when it is over. */
  readonly onCall?: ((call: AnsweredCall) => void) | undefined;
  readonly deliver: Delivery;
  readonly answerError: (error: unknown, method: string, path: string) => Answer;
  readonly gateway?: GatewayOptions | undefined;
  /** Told of every deployed route that is called, with the environment's id. */
  readonly onRoute?: ((environment: string, route: string) => void) | undefined;
}

interface AdmittedCall {
  readonly target: ServiceTarget;
  readonly endpoint: ServiceEndpoint;
  /** By path or header; null where neither names one. */
  readonly environment: NamedEnvironment | null;
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
  const { services, access, hostPolicy, deployer, deliver } = options;
  const gateway = new Gateway(options.gateway);
  const lookUp = createServiceLookup(options);

  function forward(
    target: ServiceTarget,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Answer | undefined {
    const wrongHost = checkHost(hostPolicy, incoming);
    if (wrongHost !== undefined) return problemAnswer(wrongHost);
    const endpoint = serviceEndpoint(target.path);
    const admission = admit(access, ENDPOINT_ACCESS[endpoint], incoming);
    if (admission.kind === "rejected") return admission.answer;
    if (deployer.closing.aborted) return opaqueAnswer("shutting_down", { "retry-after": "5" });
    const { project } = admission.caller;
    const isSame = (first: string, second: string) =>
      first === second || isSameEnvironment(services, project, target.application, first, second);
    const header = headerEnvironment(incoming);
    const { environment: path } = target;
    if (path !== null && header !== null && !isSame(path, header)) {
      return disagreement(inPath(path), inHeader(header));
    }
    const environment = path !== null ? inPath(path) : header !== null ? inHeader(header) : null;
    const call = { target, endpoint, environment, incoming, outgoing, admission };
    const scanner = isScanned(call)
      ? new EnvironmentScanner(environment?.name ?? null, isSame)
      : null;
    passOn(call, scanner);
    return undefined;
  }

  function passOn(call: AdmittedCall, scanner: EnvironmentScanner | null): void {
    const { target, environment, incoming, outgoing, admission } = call;
    breakOffWhenRevoked(admission.caller, outgoing);
    let watching: ReturnType<typeof watchCall> | undefined;
    let hosted: HostedEnvironment | null = null;
    const onHead = (head: ResponseHead) => {
      // Under the page's own name: a document of the workflow's must not act as the reader.
      if (admission.isByCookie) head.headers.push("content-security-policy", "sandbox");
      if ((incoming as Sender)[ALLOWED_PAGE]) replaceCorsHeaders(head);
      watching?.onHead(head);
    };
    const forwarded: ForwardTarget = {
      path: target.path,
      environment: environment?.loc[0] === "path" ? headerValue(environment.name) : null,
      scanner,
      find: (name) => {
        const found = find(call, environment ?? (name === null ? null : inBody(name)));
        return found instanceof Promise ? found.then(begin) : begin(found);
      },
      onRoute: ({ route, isDeployed }) => {
        if (isDeployed && hosted !== null) options.onRoute?.(hosted.id, route);
      },
      onHead,
      onBreakOff: () => watching?.onBreakOff(),
    };
    const begin = (found: FoundService | undefined) => {
      hosted = found?.environment ?? null;
      if (found !== undefined && options.onCall !== undefined) {
        watching = watchCall(incoming, outgoing, options.onCall);
      }
      return found?.service;
    };
    gateway.forward(incoming, outgoing, forwarded, (problem) => {
      void deliver(gatewayAnswer(problem, environment), outgoing);
    });
  }

  /** The service of a call; where there is none that the caller may use, the call is answered. */
  function find(
    call: AdmittedCall,
    named: NamedEnvironment | null,
  ): FoundService | undefined | Promise<FoundService | undefined> {
    const { target, endpoint, incoming, outgoing, admission } = call;
    const { project } = admission.caller;
    const { application } = target;
    const allowed = (outcome: FoundService | Answer): FoundService | undefined => {
      const answer = isFound(outcome)
        ? (beyondLimit(admission.caller, outcome) ?? playgroundOff(endpoint, outcome))
        : outcome;
      if (answer === undefined) return outcome as FoundService;
      void deliver(answer, outgoing);
      return undefined;
    };
    const found =
      named === null && endpoint === "playground"
        ? services.findPlayground(project, application)
        : services.find(project, application, named?.name ?? null);
    // A service for all environments does not know which of them exist, unless it is asked in the body.
    const isCertain = named === null || named.loc[0] === "body";
    if (found !== undefined && (found.environment !== null || isCertain)) return allowed(found);
    return lookUp({ project, application, named, endpoint })
      .catch((error: unknown) =>
        options.answerError(error, incoming.method ?? "", pathOf(incoming.url)),
      )
      .then(allowed);
  }

  return {
    handle(incoming, outgoing) {
      const target = serviceTarget(incoming.url ?? "", options.rootApplication);
      if (target === undefined) return false;
      try {
        const answer = forward(target, incoming, outgoing);
        if (answer !== undefined) void deliver(answer, outgoing);
      } catch (error) {
        const { method = "", url } = incoming;
        void deliver(options.answerError(error, method, pathOf(url)), outgoing);
      }
      return true;
    },
    close: () => gateway.close(),
  };
}

/** Why the playground of an environment does not answer; undefined where it is on, or was not called. */
function playgroundOff(endpoint: ServiceEndpoint, found: FoundService): Answer | undefined {
  const { environment } = found;
  if (endpoint !== "playground" || environment === null || environment.playground) return undefined;
  const { application, slug } = environment;
  return problemAnswer(playgroundOffProblem(application.slug, slug));
}

/** Why a caller whose key is limited to environments may not use a service; undefined where it may. */
function beyondLimit(caller: Caller, { environment }: FoundService): Answer | undefined {
  const problem =
    environment === null ? limitProblem(caller) : environmentProblem(caller, environment);
  return problem && problemAnswer(problem);
}

const JSON_BODY = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/** Whether the body may name the environment. Other bodies are refused by the workflow. */
function isScanned({ endpoint, target, incoming }: AdmittedCall): boolean {
  const { method, headers } = incoming;
  if (method !== "POST" || endpoint === "playground") return false;
  if (endpoint !== "deployed" && serviceEndpoint(servicePath(target.path)) !== "deployed")
    return false;
  return JSON_BODY.test(headers["content-type"] ?? "");
}

function headerEnvironment({ headers }: IncomingMessage): string | null {
  const name = headers[ENVIRONMENT_HEADER];
  return name === undefined || name === "" ? null : String(name);
}

/** A name as a header says it; null where it could not be one. It names no environment then. */
function headerValue(name: string): string | null {
  return /^[\w.-]+$/.test(name) ? name : null;
}

function isSameEnvironment(
  services: ServiceDirectory,
  project: string,
  application: string,
  first: string,
  second: string,
): boolean {
  const environment = services.find(project, application, first)?.environment;
  if (environment === undefined || environment === null) return false;
  return services.find(project, application, second)?.environment?.id === environment.id;
}

function disagreement(first: NamedEnvironment, second: NamedEnvironment): Answer {
  const msg = `The ${first.loc[0]} names the environment ${shown(first.name)} and the ${second.loc[0]} ${shown(second.name)}. Name one of them.`;
  return problemAnswer({ type: "environment_ambiguous", loc: second.loc, msg });
}

/** A name as it was sent, however long. */
function shown(name: string): string {
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
}

function gatewayAnswer(problem: GatewayProblem, environment: NamedEnvironment | null): Answer {
  switch (problem.kind) {
    case "service_failed":
    case "service_timeout":
      return problemAnswer({ type: problem.kind, loc: [], msg: problem.reason });
    case "service_unavailable":
      return problemAnswer(
        { type: "service_unavailable", loc: [], msg: problem.reason },
        { "retry-after": String(problem.retryAfterSeconds) },
      );
    case "unsupported":
      return problemAnswer({ type: "request_malformed", loc: ["header"], msg: problem.reason });
    case "environments_disagree": {
      const [first, second] = problem.names;
      return disagreement(environment ?? inBody(first), inBody(second));
    }
    case "environment_too_late": {
      const msg = `The body has more than ${problem.mostBytes} bytes before its field "environment", or none. Name the environment in the path (/services/app@production/…) or in the header ${ENVIRONMENT_HEADER}.`;
      return problemAnswer({ type: "body_too_large", loc: ["body", "environment"], msg });
    }
    case "too_many_held": {
      const msg = `Too many large bodies wait for their field "environment". Send it again later, or name the environment in the path (/services/app@production/…) or in the header ${ENVIRONMENT_HEADER}.`;
      return problemAnswer(
        { type: "service_unavailable", loc: ["body", "environment"], msg },
        { "retry-after": String(problem.retryAfterSeconds) },
      );
    }
  }
}
