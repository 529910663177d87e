import type { IncomingMessage, ServerResponse } from "node:http";
import { mustBe, shownValue } from "@agate/protocol";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { decodeURIComponent_, tryDecode } from "hono/utils/url";
import type { AccessControl } from "../access/access-control.ts";
import { admit, breakOffWhenRevoked, CALLER, limitProblem, type Sender } from "./admit.ts";
import type { Answer, Problem } from "./answer.ts";
import { listed, problemAnswer } from "./answer.ts";
import { pathOf } from "./log/request-log.ts";
import { checkHost, type HostPolicy } from "./origin-guard.ts";
import type { PageFiles } from "./page/page-files.ts";
import { notFoundPage, opensDocument } from "./page/page-routes.ts";
import type { Route } from "./route.ts";
import type { Delivery } from "./send-answer.ts";

export interface DispatcherOptions {
  readonly routes: readonly Route[];
  readonly access: AccessControl;
  readonly hostPolicy: HostPolicy;
  /** For browsers that open a path that is not served. */
  readonly page: PageFiles;
  readonly deliver: Delivery;
  readonly answerError: (error: unknown, method: string, path: string) => Answer;
}

/** Answers a request by one of the routes. */
export type Dispatcher = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
/** How long a client may go on sending the body of a request that was answered. */
const UNREAD_BODY_MS = 500;

/**
 * The way of every request to a route: its target, the host guard, the route, the caller's access,
 * the answer. A route that answers without a promise is sent without one, which is what keeps reading
 * a trace fast.
 */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { routes, access, hostPolicy, page, deliver, answerError } = options;
  const router = new RegExpRouter<Route>();
  for (const route of routes) {
    for (const path of [route.path, ...(route.alsoAt ?? [])]) {
      router.add(route.method, withoutSlash(path).replaceAll(/\{(\w+)\}/g, ":$1"), route);
    }
  }

  function answer(incoming: IncomingMessage, outgoing: ServerResponse): Answer | Promise<Answer> {
    const target = readTarget(incoming);
    if ("type" in target) return problemAnswer(target);
    const refused = checkHost(hostPolicy, incoming);
    if (refused !== undefined) return problemAnswer(refused);
    const { method = "GET" } = incoming;
    const path = withoutSlash(target.path);
    const match = find(router, method === "HEAD" ? "GET" : method, path);
    if (match === undefined) return notServed(incoming, target.path, path);
    const { route, params } = match;
    const request = { incoming, outgoing, params, query: target.query };
    if (route.access === "public") return route.handle(request);
    const admission = admit(access, route.access, incoming, route.clients);
    if (admission.kind === "rejected") return admission.answer;
    const beyond = route.limitedKeys === "refused" ? limitProblem(admission.caller) : undefined;
    if (beyond !== undefined) return problemAnswer(beyond);
    return route.handle({ ...request, caller: admission.caller });
  }

  function notServed(
    incoming: IncomingMessage,
    asked: string,
    path: string,
  ): Answer | Promise<Answer> {
    const { method = "GET", headers } = incoming;
    const matches = METHODS.flatMap((each) => find(router, each, path) ?? []);
    // `/builds/live` is a path of its own, and not also a build called "live".
    const fewest = Math.min(...matches.map(({ params }) => Object.keys(params).length));
    const methods = matches
      .filter(({ params }) => Object.keys(params).length === fewest)
      .flatMap(({ route }) => (route.method === "GET" ? ["GET", "HEAD"] : [route.method]));
    if (methods.length > 0) return methodNotAllowed(method, methods.join(", "));
    const missing = problemAnswer({
      type: "route_not_found",
      loc: ["path"],
      msg: `There is nothing at ${shownValue(asked)}.`,
    });
    if (!opensDocument(method, headers.accept)) return missing;
    return notFoundPage(page).then((shown) => shown ?? missing);
  }

  return (incoming, outgoing) => {
    const send = (sent: Answer) => {
      if (sent.kind === "stream") breakOffWhenRevoked((incoming as Sender)[CALLER], outgoing);
      if (!incoming.complete) limitUnreadBody(incoming, outgoing);
      return deliver(sent, outgoing);
    };
    const failed = (error: unknown) =>
      answerError(error, incoming.method ?? "", pathOf(incoming.url));
    try {
      const answered = answer(incoming, outgoing);
      if (answered instanceof Promise) void answered.catch(failed).then(send);
      else void send(answered);
    } catch (error) {
      void send(failed(error));
    }
  };
}

interface Match {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

function find(router: RegExpRouter<Route>, method: string, path: string): Match | undefined {
  const [[first], stash = []] = router.match(method, path);
  if (first === undefined) return undefined;
  const [route, places] = first;
  const params: Record<string, string> = {};
  for (const name in places) {
    const text = stash[places[name] as number] ?? "";
    params[name] = text.includes("%") ? tryDecode(text, decodeURIComponent_) : text;
  }
  return { route, params };
}

/** Every path is served with and without a slash at its end. */
function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") && !path.endsWith("//") ? path.slice(0, -1) : path;
}

function methodNotAllowed(method: string, allow: string): Answer {
  const msg = mustBe(listed(allow.split(", "), "or"), method);
  return problemAnswer({ type: "method_not_allowed", loc: ["method"], msg }, { allow });
}

/** Closes the connection of a client that goes on sending a body which no route reads any more. */
function limitUnreadBody(incoming: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.once("finish", () => {
    if (incoming.complete) return;
    const { socket } = incoming;
    const limit = setTimeout(() => socket.destroySoon(), UNREAD_BODY_MS).unref();
    incoming.once("close", () => clearTimeout(limit));
    incoming.once("end", () => clearTimeout(limit));
    incoming.resume();
  });
}

/** What a request asks for. */
interface RequestTarget {
  /** Decoded as far as it can be without changing where its segments end. */
  readonly path: string;
  /** As it was sent, without the `?`. */
  readonly query: string;
}

const PLAIN_TARGET = /^\/[!$&-;=?-[\]_a-z~]*$/;
const DOT_SEGMENT = /\/\.\.?(?:[/?#]|$)/;
const PLAIN_HOST = /^[a-z0-9._-]+(?::\d{1,5})?$/;

/** Reads the target of a request; a problem where it has none, or names no host. */
export function readTarget({ url = "", headers }: IncomingMessage): RequestTarget | Problem {
  const { host } = headers;
  const isAbsolute = url.startsWith("http://") || url.startsWith("https://");
  if (!isAbsolute) {
    if (host === undefined || host === "") return malformed("Missing host header.");
    if (PLAIN_HOST.test(host) && PLAIN_TARGET.test(url) && !DOT_SEGMENT.test(url)) {
      return split(url);
    }
    if (!url.startsWith("/")) return malformed("Invalid URL.");
  }
  if (/^[^?]*\\/.test(url)) return malformed("Backslash in request path.");
  const parsed = URL.parse(isAbsolute ? url : `http://${host}${url}`);
  if (parsed === null) return malformed(isAbsolute ? "Invalid absolute URL." : "Invalid URL.");
  // A host with a user, a path or a query in it is read as another.
  if (!isAbsolute && parsed.hostname !== host?.replace(/:\d+$/, "").toLowerCase()) {
    return malformed("Invalid host header.");
  }
  return split(`${parsed.pathname}${parsed.search}`);
}

function split(target: string): RequestTarget {
  const start = target.indexOf("?");
  const path = start < 0 ? target : target.slice(0, start);
  return {
    path: path.includes("%") ? tryDecode(path.replaceAll("%25", "%2525"), decodeURI) : path,
    query: start < 0 ? "" : target.slice(start + 1),
  };
}

function malformed(msg: string): Problem {
  return { type: "request_malformed", loc: [], msg };
}
