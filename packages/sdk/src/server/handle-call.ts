import { SDK_VERSION } from "../version.ts";
import { type Answer, jsonAnswer } from "./answer.ts";
import { callError } from "./call-error.ts";
import type { IncomingCall } from "./incoming-call.ts";
import { openapiDocument } from "./openapi-document.ts";
import { refusal } from "./respond.ts";
import { runCall } from "./run-call.ts";
import type { Workflow } from "./workflow.ts";

/** Answers any request to a workflow. */
export function handleCall(workflow: Workflow, incoming: IncomingCall): Answer | Promise<Answer> {
  const { path: pathname, method } = incoming;
  const match = workflow.routes.match(pathname);
  if (match !== undefined) {
    return method === "POST" ? runCall(workflow, match, incoming) : notAllowed("POST");
  }
  switch (pathname.replace(/\/$/, "")) {
    case "/health":
      return isRead(method) ? json(health(workflow)) : notAllowed("GET, HEAD");
    case "/openapi.json":
      return isRead(method) ? json(openapiDocument(workflow)) : notAllowed("GET, HEAD");
    default:
      return {
        ...refusal(callError("route_not_found", ["path"], missing(workflow, pathname))),
        isUnserved: true,
      };
  }
}

function health({ application, routes, telemetry }: Workflow) {
  const { exported, dropped, queued, lastError } = telemetry.statistics();
  return {
    status: "ok",
    application,
    version: SDK_VERSION,
    routes: routes.all().map(({ path }) => path),
    telemetry: { exported, dropped, queued, last_error: lastError },
  };
}

function isRead(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

function json(value: unknown): Answer {
  return jsonAnswer(200, JSON.stringify(value));
}

function notAllowed(allow: string): Answer {
  return refusal(
    callError("method_not_allowed", ["method"], `Takes ${allow.replace(", ", " and ")}.`, {
      allow,
    }),
  );
}

function missing({ routes }: Workflow, pathname: string): string {
  const paths = routes.all().map(({ path }) => path);
  const known =
    paths.length === 0
      ? "No route is declared: is the module that declares them imported?"
      : `The routes are ${paths.join(", ")}: POST /playground/run/… or /run/…`;
  return `There is nothing at ${pathname}. ${known}`;
}
