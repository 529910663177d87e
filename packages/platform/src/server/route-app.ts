import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono } from "hono";
import type { AccessControl } from "../access/access-control.ts";
import { admit } from "./admit.ts";
import type { Answer } from "./answer.ts";
import { answerResponse } from "./answer-response.ts";
import { breakOffWhenRevoked } from "./break-off-when-revoked.ts";
import type { Delivery } from "./deliver.ts";
import { problemAnswer } from "./errors/error-answer.ts";
import type { PageFiles } from "./page/page-files.ts";
import { notFoundPage, opensDocument } from "./page/page-routes.ts";
import { quoted } from "./query/parameter-kinds.ts";
import type { HttpEnv, Route, RouteContext } from "./routes/route.ts";
import { senderOf } from "./routes/route.ts";

/** Routes as a Hono app: both spellings of a path, 404 and 405, and what is thrown as 500. */
export function routeApp(
  routes: readonly Route[],
  access: AccessControl,
  deliver: Delivery,
  answerError: (error: unknown, method: string, path: string) => Answer,
  page: PageFiles,
): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  const respond = async (context: RouteContext, answer: Answer): Promise<Response> => {
    const outgoing = context.env.outgoing;
    if (outgoing === undefined) return answerResponse(answer);
    // Public routes have no caller.
    if (answer.kind === "stream") breakOffWhenRevoked(context.get("caller"), outgoing);
    await deliver(answer, outgoing);
    return RESPONSE_ALREADY_SENT;
  };
  const answer = (route: Route, context: RouteContext): Answer | Promise<Answer> => {
    if (route.access !== "public") {
      const admission = admit(access, route.access, senderOf(context));
      if (admission.kind === "turned-away") return admission.answer;
      context.set("caller", admission.caller);
    }
    return route.handle(context);
  };
  for (const route of routes) {
    for (const spelling of [route.path, ...(route.alsoAt ?? [])].flatMap(spellings)) {
      app.on(route.method, spelling.replaceAll(/\{(\w+)\}/g, ":$1"), async (context) =>
        respond(context, await answer(route, context)),
      );
    }
  }
  const methodsAt = methodFinder(routes);
  app.notFound(async (context) => {
    const { method, path } = context.req;
    const methods = methodsAt(path);
    const isForPeople = methods.length === 0 && opensDocument(method, context.req.header("accept"));
    const shown = isForPeople ? await notFoundPage(page) : undefined;
    return respond(context, shown ?? notServed(context, methods));
  });
  app.onError((error, context) =>
    respond(context, answerError(error, context.req.method, context.req.path)),
  );
  return app;
}

/** A path with and without its slash at the end. */
function spellings(path: string): readonly string[] {
  if (path.endsWith("/*")) return [path];
  const bare = path.replace(/\/$/, "");
  return bare === "" ? ["/"] : [bare, `${bare}/`];
}

/** Finds the methods that a path is served for; none, when it is not served at all. */
function methodFinder(routes: readonly Route[]): (path: string) => readonly string[] {
  const table = routes.flatMap(({ path, alsoAt = [], method }) =>
    [path, ...alsoAt].map((each) => ({
      pattern: pathPattern(each),
      methods: method === "GET" ? ["GET", "HEAD"] : [method],
    })),
  );
  return (path) =>
    table.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods);
}

function pathPattern(path: string): RegExp {
  const bare = path.replace(/\/$/, "").replace(/\/\*$/, "(?:/.*)?");
  return new RegExp(`^${bare.replaceAll(/\{\w+\}/g, "[^/]+")}/?$`);
}

function notServed(context: RouteContext, methods: readonly string[]): Answer {
  const { method, path } = context.req;
  if (methods.length === 0) {
    return problemAnswer({
      type: "route_not_found",
      loc: ["path"],
      msg: `There is nothing at ${quoted(path)}.`,
    });
  }
  const allow = methods.join(", ");
  return problemAnswer(
    { type: "method_not_allowed", loc: ["method"], msg: `Takes ${allow}, not ${method}.` },
    { allow },
  );
}
