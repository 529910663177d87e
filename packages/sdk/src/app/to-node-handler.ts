import { ANSWER } from "../server/answer.ts";
import { answerNode, type NodeRequest, type NodeResponse } from "../server/node-handler.ts";
import type { App } from "./app.ts";
import { app as defaultApp } from "./default-app.ts";

/** A listener of `node:http`, and a middleware of Express. */
export type NodeHandler = (
  request: NodeRequest,
  response: NodeResponse,
  next?: (error?: unknown) => void,
) => void;

/**
 * An app as a handler of Node's requests: for `node:http`, Express and Fastify. In Express, a request
 * for a path that is not the app's goes on to what was mounted after it.
 *
 * @example
 * createServer(ag.toNodeHandler()).listen(4101);
 * express().use("/ai", ag.toNodeHandler());
 */
export function toNodeHandler(app: App = defaultApp()): NodeHandler {
  return (request, response, next) => {
    answerNode(app[ANSWER], request, response, next).catch((error: unknown) => {
      // Only a broken connection or a fault of ours comes here: errors of calls are answers.
      if (next === undefined) response.destroy();
      else next(error);
    });
  };
}
