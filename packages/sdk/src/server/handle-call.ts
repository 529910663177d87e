import { DeclarationError } from "../config/declaration-error.ts";
import { canonicalPath, pathProblem } from "../routes/route-table.ts";
import { environment } from "../runtime/environment.ts";
import { SDK_VERSION } from "../version.ts";
import { type Answer, jsonAnswer, refusal } from "./answer.ts";
import { callError } from "./call-error.ts";
import type { IncomingCall } from "./incoming-call.ts";
import { runCall } from "./run-call.ts";
import type { Workflow } from "./workflow.ts";

/** Answers any request to a workflow. */
export function handleCall(workflow: Workflow, incoming: IncomingCall): Answer | Promise<Answer> {
  const { cors } = workflow;
  const answer = answerTo(workflow, incoming);
  if (cors === null) return answer;
  return answer instanceof Promise
    ? answer.then((later) => cors.readable(later, incoming))
    : cors.readable(answer, incoming);
}

function answerTo(workflow: Workflow, incoming: IncomingCall): Answer | Promise<Answer> {
  const { method } = incoming;
  const path = pathBelow(workflow.basePath, incoming.path);
  const match = path === null ? undefined : workflow.routes.match(path);
  if (match !== undefined && (match.endpoint === "deployed" || workflow.playground)) {
    if (method === "POST") return runCall(workflow, match, incoming);
    return workflow.cors?.preflight(incoming, "POST") ?? notAllowed("POST");
  }
  switch (path?.replace(/\/$/, "")) {
    case "/health":
      return isRead(method) ? json(health(workflow)) : notRead(workflow, incoming);
    case "/openapi.json":
      return isRead(method) ? openapi(workflow) : notRead(workflow, incoming);
    default:
      return { ...notFound(workflow, incoming), isUnserved: true };
  }
}

/** A page that asks first must be let through to read what is wrong with its path. */
function notFound(workflow: Workflow, incoming: IncomingCall): Answer {
  return (
    workflow.cors?.preflight(incoming, "GET, HEAD, POST") ??
    refusal(callError("route_not_found", ["path"], missing(workflow, incoming.path)))
  );
}

function notRead({ cors }: Workflow, incoming: IncomingCall): Answer {
  return cors?.preflight(incoming, "GET, HEAD") ?? notAllowed("GET, HEAD");
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

// Loaded when it is first asked for: most processes are never asked.
async function openapi(workflow: Workflow): Promise<Answer> {
  const { openapiDocument } = await import("./openapi-document.ts");
  return json(openapiDocument(workflow));
}

function isRead(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

function json(value: unknown): Answer {
  return jsonAnswer(200, JSON.stringify(value));
}

function notAllowed(allow: string): Answer {
  return refusal(
    callError("method_not_allowed", ["method"], `Must be ${allow.replace(", ", " or ")}.`, {
      allow,
    }),
  );
}

function missing({ basePath, routes, playground }: Workflow, pathname: string): string {
  if (!playground && routes.match(pathBelow(basePath, pathname) ?? "")?.endpoint === "playground") {
    return `There is nothing at ${pathname}: the app's playground is off. It is on without ag.init({ playground: false }).`;
  }
  const paths = routes.all().map(({ path }) => path);
  const known =
    paths.length === 0
      ? "No route is declared: is the module that declares them imported?"
      : `The routes are ${paths.join(", ")}: POST ${playground ? `${basePath}/playground/run/… or ` : ""}${basePath}/run/…`;
  return `There is nothing at ${pathname}. ${known}`;
}

/**
 * The path that an app is served below, without a slash at its end; empty for the root. A program
 * that others run, `agate dev` or the platform, is at the root of where they let it listen.
 *
 * @throws DeclarationError which says what to write instead.
 */
export function basePathOf(given: string | undefined): string {
  if (given === undefined || given === "" || given === "/") return "";
  const problem = pathProblem(given);
  if (problem !== null) {
    throw new DeclarationError(`${JSON.stringify(given)} is not a base path: ${problem}`);
  }
  return environment("AGATE_LISTEN") === undefined ? canonicalPath(given) : "";
}

/** The part of a path below a base path; null where it is not below it. */
function pathBelow(basePath: string, path: string): string | null {
  if (basePath === "") return path;
  const requested = canonicalPath(path);
  if (requested === basePath) return "/";
  return requested.startsWith(`${basePath}/`) ? requested.slice(basePath.length) : null;
}
