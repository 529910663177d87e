import type { IncomingMessage, ServerResponse } from "node:http";
import type { AccessControl } from "../../access/access-control.ts";
import { createGateway } from "../../deployments/gateway/create-gateway.ts";
import type { GatewayProblem } from "../../deployments/gateway/gateway-problem.ts";
import type { ResponseHead } from "../../deployments/gateway/response-head.ts";
import type { ServiceDirectory } from "../../deployments/service-directory.ts";
import type { Applications } from "../../registry/registry.ts";
import { admit } from "../admit.ts";
import type { Answer } from "../answer.ts";
import { breakOffWhenRevoked } from "../break-off-when-revoked.ts";
import type { Delivery } from "../deliver.ts";
import { pathOf } from "../deliver.ts";
import { opaqueAnswer, problemAnswer, problemsAnswer } from "../errors/error-answer.ts";
import type { HostPolicy } from "../host-guard.ts";
import { checkHost } from "../host-guard.ts";
import type { ServiceTarget } from "./service-target.ts";
import { serviceTarget } from "./service-target.ts";
import type { AnsweredCall } from "./watch-call.ts";
import { watchCall } from "./watch-call.ts";

export interface ServiceCallsOptions {
  readonly services: ServiceDirectory;
  readonly applications: Applications;
  readonly access: AccessControl;
  readonly hostPolicy: HostPolicy;
  /** Answers the contract's paths without a prefix, too. */
  readonly rootApplication: string | null;
  /** Fires when builds are being ended: nothing new goes to them. */
  readonly closing: AbortSignal;
  /** Told of every call that was passed on, when it is over. */
  readonly onCall?: ((call: AnsweredCall) => void) | undefined;
  readonly deliver: Delivery;
  readonly answerError: (error: unknown, method: string, path: string) => Answer;
}

/** Calls of workflows. */
export interface ServiceCalls {
  /** Takes a request over, if it is for a workflow; whether it is. */
  take(incoming: IncomingMessage, outgoing: ServerResponse): boolean;
  close(): void;
}

/** Passes calls on to the builds that serve: without Hono, which would cost as much as the call. */
export function createServiceCalls(options: ServiceCallsOptions): ServiceCalls {
  const { services, applications, access, hostPolicy, closing, deliver } = options;
  const gateway = createGateway();

  function forward(
    target: ServiceTarget,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Answer | Promise<Answer> | undefined {
    const { host, origin } = incoming.headers;
    const wrongHost = checkHost(hostPolicy, host, origin);
    if (wrongHost !== undefined) return problemAnswer(wrongHost);
    const admission = admit(access, "run", incoming);
    if (admission.kind === "turned-away") return admission.answer;
    if (closing.aborted) return opaqueAnswer("shutting_down", { "retry-after": "5" });
    const { project } = admission.caller;
    const service = services.find(project, target.application);
    if (service === undefined) return notServed(project, target.application);
    breakOffWhenRevoked(admission.caller, outgoing);
    const onAnswered = options.onCall && watchCall(incoming, outgoing, options.onCall);
    const onHead = admission.isByCookie
      ? (head: ResponseHead) => {
          // Under the page's own name: a document of the workflow's must not act as the reader.
          head.headers.push("content-security-policy", "sandbox");
          onAnswered?.(head);
        }
      : onAnswered;
    gateway.forward(incoming, outgoing, { service, path: target.path, onHead }, (problem) => {
      void deliver(gatewayAnswer(problem), outgoing);
    });
    return undefined;
  }

  async function notServed(project: string, name: string): Promise<Answer> {
    const application = await applications.get({ project, application: name });
    if (application.kind === "refused") return problemsAnswer(application.problems);
    const { slug } = application.value;
    return problemAnswer({
      type: "service_not_found",
      loc: ["path", "app"],
      msg: `No build serves ${slug}. Deploy one: agate deploy app.ts --app ${slug}.`,
    });
  }

  return {
    take(incoming, outgoing) {
      const target = serviceTarget(incoming.url ?? "", options.rootApplication);
      if (target === undefined) return false;
      const failed = (error: unknown) =>
        options.answerError(error, incoming.method ?? "", pathOf(incoming.url));
      try {
        const answer = forward(target, incoming, outgoing);
        if (answer instanceof Promise) {
          void answer.catch(failed).then((later) => deliver(later, outgoing));
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
