import { ANSWER } from "../server/answer.ts";
import {
  answerNode,
  type NodeExchange,
  type NodeRequest,
  type NodeResponse,
} from "../server/node-handler.ts";
import type { App } from "./app.ts";
import { app as defaultApp } from "./default-app.ts";

/** Fastify's request, by what is used of it. */
interface FastifyRequest {
  readonly raw: NodeRequest;
  readonly body: unknown;
  readonly params: unknown;
  /** The route's own pattern, such as `/ai/*`. */
  readonly routeOptions: { readonly url?: string | undefined };
}

/** Fastify's reply. */
interface FastifyReply {
  readonly raw: NodeResponse;
  hijack(): unknown;
}

/** A listener of `node:http`, a middleware of Express, and a handler of Fastify. */
export interface NodeHandler {
  (request: NodeRequest, response: NodeResponse, next?: (error?: unknown) => void): void;
  (request: FastifyRequest, reply: FastifyReply): void;
}

/**
 * An app as a handler of Node's requests. In Express, a request for a path that is not the app's goes
 * on to what was mounted after it. In Fastify, the app is found at the route's `*`.
 *
 * @example
 * createServer(ag.toNodeHandler()).listen(4101);
 * express().use("/ai", ag.toNodeHandler());
 * fastify().all("/ai/*", ag.toNodeHandler());
 */
export function toNodeHandler(app: App = defaultApp()): NodeHandler {
  return (
    request: NodeRequest | FastifyRequest,
    response: NodeResponse | FastifyReply,
    next?: (error?: unknown) => void,
  ): void => {
    const exchange = exchangeOf(request, response, next);
    answerNode(app[ANSWER], exchange).catch((error: unknown) => {
      // Only a broken connection or a fault of ours comes here: errors of calls are answers.
      if (exchange.next === undefined) exchange.response.destroy();
      else next?.(error);
    });
  };
}

function exchangeOf(
  request: NodeRequest | FastifyRequest,
  response: NodeResponse | FastifyReply,
  next?: () => void,
): NodeExchange {
  if (!("raw" in request) || !("raw" in response)) {
    return { request: request as NodeRequest, response: response as NodeResponse, next };
  }
  // Fastify would send what the handler returns; from here on the answer is ours.
  response.hijack();
  const url = atWildcard(request.raw.url ?? "/", request.routeOptions.url);
  return { request: request.raw, response: response.raw, url, body: request.body };
}

/**
 * The part of a URL that the `*` of a Fastify route stands for. Not its parameter `*`, which is
 * decoded: the route `/caf%C3%A9` would not be found. Every parameter before the `*` is one segment,
 * so the slashes of the pattern are those of the URL.
 */
function atWildcard(url: string, pattern: string | undefined): string | undefined {
  if (!pattern?.endsWith("*")) return undefined;
  const segments = pattern.split("/").length - 1;
  return segments === 0 ? url : `/${url.split("/").slice(segments).join("/")}`;
}
