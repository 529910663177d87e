import type { IncomingMessage, ServerResponse } from "node:http";
import type { Lease, Service, ServiceUnavailable } from "../services.ts";
import { AnswerWriter } from "./answer-writer.ts";
import { ConnectionPool, type ConnectionUser, type UpstreamConnection } from "./connection-pool.ts";
import { type RequestBody, requestBody, requestHead, sendBody } from "./forwarded-request.ts";
import { MalformedResponse, type ResponseHead } from "./response-head.ts";
import { ResponseReader } from "./response-reader.ts";

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

/** Why the service did not answer a request. No part of an answer was sent. */
export type GatewayProblem =
  /** The build closed the connection early, or its answer is not valid HTTP. */
  | { readonly kind: "service_failed"; readonly reason: string }
  /** The build is starting, or keeps crashing. */
  | {
      readonly kind: "service_unavailable";
      readonly reason: string;
      readonly retryAfterSeconds: number;
    }
  /** The request needs something that workflows do not support, such as a web socket. */
  | { readonly kind: "unsupported"; readonly reason: string };

/**
 * Passes requests on to services, and their answers back.
 *
 * @example
 * const gateway = new Gateway();
 * gateway.forward(incoming, outgoing, { service, path: "/run/summarize" }, (problem) => {
 *   outgoing.writeHead(502).end(problem.reason);
 * });
 */
export class Gateway {
  readonly #pool = new ConnectionPool();

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
    { path, ...target }: ForwardTarget,
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
    const head = requestHead(incoming, path, body);
    const pool = this.#pool;
    new Exchange({ ...target, incoming, outgoing, pool, head, body, onFailure }).start();
  }

  /** Closes the connections that wait. Requests under way go on. */
  close(): void {
    this.#pool.close();
  }
}

/**
 * The largest request that is collected and sent in one piece. A service reads that much in one go: it
 * has consumed all of it or nothing, and in the latter case the request can be retried.
 */
const MOST_WHOLE_BYTES = 16 * 1024;
/** How often a request is sent as long as no service has consumed any of it. */
const MOST_ATTEMPTS = 4;
/** The service's accept queue is full: retry shortly. */
const CROWDED_PAUSE_MS = 20;
const MOST_CROWDED_PAUSES = 250;

/** The process does not listen, or has just stopped: connections that it has not accepted are reset. */
const NOT_LISTENING: ReadonlySet<string> = new Set(["ECONNREFUSED", "ECONNRESET", "ENOENT"]);

interface ExchangeParts extends Omit<ForwardTarget, "path"> {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly pool: ConnectionPool;
  /** The request's head as the service gets it. */
  readonly head: string;
  readonly body: RequestBody;
  readonly onFailure: (problem: GatewayProblem) => void;
}

/** One request to a service, with its answer. */
class Exchange implements ConnectionUser {
  readonly #parts: ExchangeParts;
  readonly #answer: AnswerWriter;
  /** The request in one piece, where it is small. */
  #whole: string | undefined;
  #lease: Lease | undefined;
  #connection: UpstreamConnection | undefined;
  #reader: ResponseReader | undefined;
  #hasAnswered = false;
  #isSent = false;
  #isOver = false;
  #attempts = 0;
  #crowdedPauses = 0;
  #stopSending = () => {};
  #continueSending = () => {};

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
    const resume = () => this.#connection?.resume();
    this.#answer = new AnswerWriter(parts.outgoing, resume, parts.onHead);
  }

  start(): void {
    const { outgoing, body, head } = this.#parts;
    outgoing.once("close", () => {
      if (!this.#isOver) this.#finish(false);
    });
    if (body.kind === "none" || (body.kind === "length" && body.bytes === 0)) {
      this.#whole = head;
      this.#acquire();
    } else if (body.kind === "length" && body.bytes + head.length <= MOST_WHOLE_BYTES) {
      this.#collect(body.bytes);
    } else {
      this.#acquire();
    }
  }

  /** Waits for the body of a small request: a workflow can do nothing before it has it. */
  #collect(bytes: number): void {
    let text = this.#parts.head;
    let left = bytes;
    this.#parts.incoming.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      left -= chunk.length;
      if (left > 0) return;
      this.#whole = text;
      this.#acquire();
    });
  }

  #acquire(): void {
    const outcome = this.#parts.service.acquire();
    if (outcome instanceof Promise) {
      void outcome.then((later) => this.#connect(later));
    } else {
      this.#connect(outcome);
    }
  }

  #connect(outcome: Lease | ServiceUnavailable): void {
    if (outcome.kind === "unavailable") {
      const { reason, retryAfterSeconds } = outcome;
      this.#fail({ kind: "service_unavailable", reason, retryAfterSeconds });
      return;
    }
    // The client may have disconnected during the wait.
    if (this.#isOver) {
      outcome.release();
      return;
    }
    const { pool } = this.#parts;
    this.#lease = outcome;
    outcome.onTimeUp = () => this.#failService("was ended before the call was over");
    this.#attempts++;
    // A request that cannot be retried never uses an idle connection, which the service may be closing.
    const isIdleWelcome = this.#whole !== undefined && this.#attempts === 1;
    const idle = isIdleWelcome ? pool.take(outcome.socketPath, this) : undefined;
    this.#connection = idle ?? pool.open(outcome.socketPath, this);
    if (idle !== undefined) this.onConnect();
  }

  onConnect(): void {
    const { incoming, head, body } = this.#parts;
    const connection = this.#connection as UpstreamConnection;
    this.#reader = new ResponseReader(incoming.method ?? "GET", this.#answer);
    if (this.#whole !== undefined) {
      connection.write(this.#whole);
      this.#isSent = true;
      return;
    }
    const sending = sendBody(incoming, connection, head, body, () => {
      this.#isSent = true;
    });
    this.#stopSending = sending.stop;
    this.#continueSending = sending.continue;
  }

  onDrain(): void {
    this.#continueSending();
  }

  onBytes(bytes: Buffer): boolean {
    const reader = this.#reader as ResponseReader;
    this.#hasAnswered = true;
    try {
      reader.push(bytes);
    } catch (error) {
      const fault = error instanceof MalformedResponse ? "read" : "passed on";
      if (reader.isDone) this.#finish(false);
      // Any error here is caused by user code: it must not end the platform.
      else this.#failService(`sent an answer that cannot be ${fault}: ${(error as Error).message}`);
      return false;
    }
    if (reader.isDone) {
      this.#finish(this.#isSent);
      return true;
    }
    return this.#answer.flush();
  }

  onLost(error: NodeJS.ErrnoException | undefined): void {
    if (error === undefined && this.#reader?.finish()) {
      this.#finish(false);
      return;
    }
    const isConnected = this.#connection?.isConnected === true;
    if (this.#hasAnswered) {
      this.#failService("broke off in the middle of its answer");
    } else if (isConnected) {
      this.#onUnanswered(error);
    } else {
      this.#onUnconnected(error);
    }
  }

  /** The connection ended before an answer began. */
  #onUnanswered(error: NodeJS.ErrnoException | undefined): void {
    // A reset means that the service closed the socket without reading the request: safe to retry.
    const isUnread = error?.code === "ECONNRESET" || error?.code === "EPIPE";
    if (isUnread && this.#whole !== undefined && this.#attempts < MOST_ATTEMPTS) {
      this.#lease?.release();
      this.#acquire();
      return;
    }
    this.#failService("closed the connection without an answer");
  }

  /** The connection failed: the service has seen no part of the request, so any request may be retried. */
  #onUnconnected(error: NodeJS.ErrnoException | undefined): void {
    const code = error?.code;
    if (code !== undefined && NOT_LISTENING.has(code)) {
      this.#lease?.release("unreachable");
      if (this.#attempts < MOST_ATTEMPTS) this.#acquire();
      else this.#failService("does not listen on its socket");
    } else if (code === "EAGAIN" && this.#crowdedPauses < MOST_CROWDED_PAUSES) {
      this.#crowdedPauses++;
      this.#attempts--;
      this.#lease?.release();
      setTimeout(() => this.#acquire(), CROWDED_PAUSE_MS);
    } else {
      const reason = `No connection to ${this.#name()} could be made: ${error?.message}.`;
      this.#fail({ kind: "service_unavailable", reason, retryAfterSeconds: 1 });
    }
  }

  #failService(what: string): void {
    this.#fail({ kind: "service_failed", reason: `${this.#name()} ${what}.` });
  }

  #fail(problem: GatewayProblem): void {
    if (this.#isOver) return;
    this.#finish(false);
    // Once an answer has begun, the only way to report an error is to cut it off.
    if (!this.#answer.hasBegun) {
      this.#parts.onFailure(problem);
      return;
    }
    this.#parts.onBreakOff?.();
    this.#answer.breakOff();
  }

  /** @param isReusable Whether the connection is ready for another request. */
  #finish(isReusable: boolean): void {
    this.#isOver = true;
    if (!this.#isSent) this.#stopSending();
    const connection = this.#connection;
    if (connection !== undefined) {
      if (isReusable) this.#parts.pool.give(connection, this.#answer.keepAliveMs);
      else connection.destroy();
    }
    this.#lease?.release();
  }

  #name(): string {
    return this.#parts.service.application.slug;
  }
}
