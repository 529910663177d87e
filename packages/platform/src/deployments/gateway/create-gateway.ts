import type { IncomingMessage, ServerResponse } from "node:http";
import type { Service } from "../services.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { Exchange, type GatewayProblem } from "./exchange.ts";
import { requestBody, requestHead } from "./request-head.ts";
import type { ResponseHead } from "./response-head.ts";

/** Where a request goes. */
export interface ForwardTarget {
  readonly service: Service;
  /** The path and query for the service, as they came: `/run/summarize?x=1`. */
  readonly path: string;
  /** Told how the service answers, before the client is. */
  readonly onHead?: ((head: ResponseHead) => void) | undefined;
  /** Told that the service failed in the middle of its answer, before the client's connection ends. */
  readonly onBreakOff?: (() => void) | undefined;
}

/** Passes requests on to services, and their answers back. */
export interface Gateway {
  /**
   * Streams a request to the service and its answer to the client, each as fast as the other side
   * takes it. A client that goes away ends the request; an answer that breaks off breaks off the
   * client's connection.
   *
   * @param onFailure Called instead of answering: nothing was sent then, and the caller answers.
   */
  forward(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    target: ForwardTarget,
    onFailure: (problem: GatewayProblem) => void,
  ): void;
  /** Closes the connections that wait. Requests under way go on. */
  close(): void;
}

/**
 * Makes a gateway.
 *
 * @example
 * const gateway = createGateway();
 * gateway.forward(incoming, outgoing, { service, path: "/run/summarize" }, (problem) => {
 *   outgoing.writeHead(502).end(problem.reason);
 * });
 */
export function createGateway(): Gateway {
  const pool = new ConnectionPool();
  return {
    forward(incoming, outgoing, { service, path, onHead, onBreakOff }, onFailure) {
      if (incoming.headers.upgrade?.toLowerCase() === "websocket") {
        const reason = "Workflows are called over plain HTTP: web sockets are not passed on.";
        onFailure({ kind: "unsupported", reason });
        return;
      }
      const body = requestBody(incoming);
      if (body === undefined) {
        const reason = "The only transfer-encoding that is passed on is chunked.";
        onFailure({ kind: "unsupported", reason });
        return;
      }
      const head = requestHead(incoming, path, body);
      const parts = { incoming, outgoing, service, pool, head, body };
      new Exchange({ ...parts, onHead, onBreakOff, onFailure }).start();
    },
    close: () => pool.close(),
  };
}
