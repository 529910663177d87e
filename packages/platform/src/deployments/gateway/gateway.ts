import type { IncomingMessage, ServerResponse } from "node:http";
import { ConnectionPool } from "./connection-pool.ts";
import type { EnvironmentScanner } from "./environment-scanner.ts";
import type { ExchangeListener, ExchangeTimeouts, GatewayProblem } from "./exchange.ts";
import { Exchange } from "./exchange.ts";
import { requestBody, requestHead } from "./forwarded-request.ts";
import { HoldBudget, type HoldLimits } from "./hold-budget.ts";

/** Where a request goes. */
export interface ForwardTarget extends ExchangeListener {
  /** The path and query for the service, as they came: `/run/summarize?x=1`. */
  readonly path: string;
  /** The environment where the request's path names it, told to the service by a header. */
  readonly environment?: string | null;
  /** Looks for the environment in the body; null where the body names none. */
  readonly scanner: EnvironmentScanner | null;
}

export interface GatewayOptions {
  readonly holding?: Partial<HoldLimits>;
  readonly timeouts?: Partial<ExchangeTimeouts>;
}

/** Until an answer begins, where its route has no timeout of its own; then, without a byte of it. */
const TIMEOUTS: ExchangeTimeouts = { beginMs: 10 * 60_000, marginMs: 5_000, idleMs: 10 * 60_000 };

/**
 * Passes requests on to services, and their answers back.
 *
 * @example
 * const gateway = new Gateway();
 * const target = { path: "/run/summarize", scanner: null, find: () => service };
 * gateway.forward(incoming, outgoing, target, (problem) => {
 *   outgoing.writeHead(502).end(problem.kind);
 * });
 */
export class Gateway {
  readonly #pool = new ConnectionPool();
  readonly #budget: HoldBudget;
  readonly #timeouts: ExchangeTimeouts;

  constructor({ holding, timeouts }: GatewayOptions = {}) {
    this.#budget = new HoldBudget(holding);
    this.#timeouts = { ...TIMEOUTS, ...timeouts };
  }

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
  ): void {
    const unsupported = (reason: string) => onFailure({ kind: "unsupported", reason });
    if (incoming.headers.upgrade?.toLowerCase() === "websocket") {
      unsupported("Workflows are called over plain HTTP: web sockets are not passed on.");
      return;
    }
    const body = requestBody(incoming);
    if (body === undefined) {
      unsupported("The only transfer-encoding that is passed on is chunked.");
      return;
    }
    const { path, environment, scanner } = target;
    const head = requestHead(incoming, path, body, environment);
    const source = { incoming, head, body, scanner, budget: this.#budget };
    new Exchange({
      source,
      path,
      outgoing,
      pool: this.#pool,
      timeouts: this.#timeouts,
      listener: target,
      onFailure,
    }).start();
  }

  /** Closes the connections that wait. Requests under way go on. */
  close(): void {
    this.#pool.close();
  }
}
