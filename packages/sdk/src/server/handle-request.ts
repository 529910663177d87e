import { SDK_VERSION } from "../version.ts";
import { callError } from "./call-error.ts";
import { openapiDocument } from "./openapi-document.ts";
import { refusal } from "./respond.ts";
import { runCall } from "./run-call.ts";
import type { Workflow } from "./workflow.ts";

/** Answers any request to a workflow. */
export async function handleRequest(workflow: Workflow, request: Request): Promise<Response> {
  const pathname = pathOf(request.url);
  const match = workflow.routes.match(pathname);
  if (match !== undefined) {
    return request.method === "POST" ? await runCall(workflow, match, request) : notAllowed("POST");
  }
  switch (pathname) {
    case "/health":
      return isRead(request) ? Response.json(health(workflow)) : notAllowed("GET, HEAD");
    case "/openapi.json":
      return isRead(request)
        ? Response.json(openapiDocument(workflow.application, workflow.routes.all()))
        : notAllowed("GET, HEAD");
    default:
      return refusal(callError("route_not_found", ["path"], missing(workflow, pathname)));
  }
}

/** The path of a URL, which is the whole of it between the host and the query. */
function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  if (start < 0) return "/";
  const end = url.slice(start).search(/[?#]/);
  return end < 0 ? url.slice(start) : url.slice(start, start + end);
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

function isRead(request: Request): boolean {
  return request.method === "GET" || request.method === "HEAD";
}

function notAllowed(allow: string) {
  return refusal(
    callError("method_not_allowed", ["method"], `Takes ${allow.replace(", ", " and ")}.`, {
      allow,
    }),
  );
}

function missing({ routes }: Workflow, pathname: string): string {
  const paths = routes.all().map(({ path }) => path);
  const known = paths.length === 0 ? "none" : paths.join(", ");
  return `There is nothing at ${pathname}. The routes are ${known}: POST /playground/run/… or /run/…`;
}
