import * as z from "zod/mini";
import { JSON_TYPE, problemAnswer } from "../../answer.ts";
import type { ErrorType } from "../../errors/error-types.ts";
import { name } from "../../inputs/input-kinds.ts";
import type { Operation, Route } from "../../route.ts";
import { route } from "../../route.ts";
import { PATH_PARAMETERS } from "../registry/registry-route.ts";

const ERRORS: readonly ErrorType[] = [
  "playground_off",
  "application_not_found",
  "environment_not_found",
  "service_not_found",
  "environment_ambiguous",
  "body_too_large",
  "service_failed",
  "service_unavailable",
  "service_timeout",
  "shutting_down",
];

const ROUTE_DOC = {
  description:
    "The route's path as it was declared, without its first slash; it may have several parts.",
  example: "summarize",
};

const ANYTHING = { [JSON_TYPE]: {} };

/**
 * What the builds of applications answer, for the OpenAPI document: these requests are passed on
 * before any route is looked for (services/service-calls.ts).
 */
export function serviceRoutes(): readonly Route[] {
  return [
    described("POST", "/services/{app}/run/{route}", {
      id: "runService",
      access: "run",
      summary: "Call a route as it is deployed",
      description:
        "Passed on to the build that serves the application, streams included. What it takes and answers is its own: see `GET /services/{app}/openapi.json`. An entrypoint is called without `{route}`. Which environment's build it is, `{app}@{environment}`, the header `agate-environment` or the body's `environment` says; two that differ are a 422. Without any, it is the application's default environment.",
      requestBody: ANYTHING,
    }),
    described("POST", "/services/{app}/playground/run/{route}", {
      id: "tryService",
      access: "playground",
      summary: "Call a route with a configuration of your own",
      description:
        "Passed on likewise; the body names no environment. Without a name, it is the first live environment whose playground is on. The answer has the trace of the call.",
      requestBody: ANYTHING,
    }),
    described("GET", "/services/{app}/openapi.json", {
      id: "describeService",
      access: ["run", "playground"],
      summary: "Get the description of a workflow",
    }),
    described("GET", "/services/{app}/health", {
      id: "checkService",
      access: ["run", "playground"],
      summary: "Does the build that serves answer?",
    }),
  ];
}

function described(
  method: Route["method"],
  path: string,
  said: Pick<Operation, "id" | "summary" | "description" | "requestBody"> & Pick<Route, "access">,
): Route {
  return route({
    ...said,
    method,
    path,
    limitedKeys: "checked",
    tag: "deployments",
    params: () =>
      z.object({
        app: PATH_PARAMETERS.app.schema(),
        ...(path.includes("{route}") && { route: name(ROUTE_DOC) }),
      }),
    success: { status: 200, description: "What the workflow answers.", body: ANYTHING },
    errors: ERRORS,
    answer: () =>
      problemAnswer({
        type: "service_not_found",
        loc: ["path"],
        msg: "Workflows are called over a connection to the server.",
      }),
  });
}
