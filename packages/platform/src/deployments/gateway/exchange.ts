import type { ServerResponse } from "node:http";
import type { Lease, LeaseHolder, ServedRoute, Service, ServiceUnavailable } from "../services.ts";
import { AnswerWriter } from "./answer-writer.ts";
import type { ConnectionPool, ConnectionUser, UpstreamConnection } from "./connection-pool.ts";
import type { BodyProblem, SourceListener, SourceParts } from "./request-source.ts";
import { RequestSource } from "./request-source.ts";
import { MalformedResponse, type ResponseHead } from "./response-head.ts";
import { ResponseReader } from "./response-reader.ts";

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
  /** The answer did not begin in time. */
  | { readonly kind: "service_timeout"; readonly reason: string }
  /** The request needs something that workflows do not support, such as a web socket. */
  | { readonly kind: "unsupported"; readonly reason: string }
  | BodyProblem;

/** What the gateway asks and tells while it passes a request on. */
export interface ExchangeListener {
  /**
   * Finds the service. Undefined: there is none, and the request was answered.
   *
   * @param name The environment that the body names; null where it names none.
   */
  find(name: string | null): Service | undefined | Promise<Service | undefined>;
  /** Told the route that is called, where the build describes it. */
  readonly onRoute?: ((route: ServedRoute) => void) | undefined;
  /** Told how the service answers, before the client is. */
  readonly onHead?: ((head: ResponseHead) => void) | undefined;
  /** Told that the service failed in the middle of its answer, before the client's connection ends. */
  readonly onBreakOff?: (() => void) | undefined;
}

/** All in milliseconds. */
export interface ExchangeTimeouts {
  /** Until an answer begins, where its route has no timeout. */
  readonly beginMs: number;
  /** What is added to the timeout of a route: the workflow answers itself when it is over. */
  readonly marginMs: number;
  /** Between two parts of an answer. */
  readonly idleMs: number;
}

/** How often a request is sent as long as no service has consumed any of it. */
const MOST_ATTEMPTS = 4;
/** The service's accept queue is full: retry shortly. */
const CROWDED_PAUSE_MS = 20;
const MOST_CROWDED_PAUSES = 250;

/** The longest that a timer takes: a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The process does not listen, or has just stopped: connections that it has not accepted are reset. */
const NOT_LISTENING: ReadonlySet<string> = new Set(["ECONNREFUSED", "ECONNRESET", "ENOENT"]);

export interface ExchangeParts {
  readonly source: SourceParts;
  readonly path: string;
  readonly outgoing: ServerResponse;
  readonly pool: ConnectionPool;
  readonly timeouts: ExchangeTimeouts;
  readonly listener: ExchangeListener;
  readonly onFailure: (problem: GatewayProblem) => void;
}

/** One request to a service, with its answer. */
export class Exchange implements ConnectionUser, LeaseHolder, SourceListener {
  readonly #parts: ExchangeParts;
  readonly #answer: AnswerWriter;
  readonly #source: RequestSource;
  #service: Service | undefined;
  #lease: Lease | undefined;
  #connection: UpstreamConnection | undefined;
  #reader: ResponseReader | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hasAnswered = false;
  #isSent = false;
  #isOver = false;
  #attempts = 0;
  #crowdedPauses = 0;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
    const resume = () => this.#connection?.resume();
    this.#answer = new AnswerWriter(parts.outgoing, resume, parts.listener.onHead);
    this.#source = new RequestSource(parts.source, this);
  }

  start(): void {
    this.#parts.outgoing.once("close", () => {
      if (!this.#isOver) this.#finish(false);
    });
    this.#source.start();
  }

  onRoutable(name: string | null): void {
    const found = this.#parts.listener.find(name);
    if (found instanceof Promise) void found.then((later) => this.#serveBy(later));
    else this.#serveBy(found);
  }

  onBodyProblem(problem: BodyProblem): void {
    this.#fail(problem);
  }

  #serveBy(service: Service | undefined): void {
    if (this.#isOver) return;
    this.#service = service;
    if (service === undefined) this.#finish(false);
    else this.#acquire(service);
  }

  #acquire(service: Service): void {
    const outcome = service.acquire();
    if (outcome instanceof Promise) {
      void outcome.then((later) => this.#connect(later));
    } else {
      this.#connect(outcome);
    }
  }

  /** Sends the request again. */
  #retry(): void {
    if (!this.#isOver) this.#acquire(this.#service as Service);
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
    outcome.holder = this;
    this.#attempts++;
    // A request that cannot be retried never uses an idle connection, which the service may be closing.
    const isIdleWelcome = this.#source.isWhole && this.#attempts === 1;
    const idle = isIdleWelcome ? pool.take(outcome.socketPath, this) : undefined;
    this.#connection = idle ?? pool.open(outcome.socketPath, this);
    if (idle !== undefined) this.onConnect();
  }

  onTimeUp(): void {
    this.#failService("was ended before the call was over");
  }

  onConnect(): void {
    const { source, path, timeouts, listener } = this.#parts;
    const { method = "GET" } = source.incoming;
    this.#reader = new ResponseReader(method, this.#answer);
    const route = this.#lease?.routes?.find(path);
    if (route !== undefined) listener.onRoute?.(route);
    const timeoutMs = route?.timeoutMs ?? null;
    this.#setTimer(timeoutMs === null ? timeouts.beginMs : timeoutMs + timeouts.marginMs);
    this.#source.send(this.#connection as UpstreamConnection, () => {
      this.#isSent = true;
    });
  }

  onDrain(): void {
    this.#source.continue();
  }

  onBytes(bytes: Buffer): boolean {
    const reader = this.#reader as ResponseReader;
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
    if (this.#hasAnswered) this.#timer?.refresh();
    else this.#setTimer(this.#parts.timeouts.idleMs);
    this.#hasAnswered = true;
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
    if (isUnread && this.#source.isWhole && this.#attempts < MOST_ATTEMPTS) {
      this.#lease?.release();
      this.#retry();
      return;
    }
    this.#failService("closed the connection without an answer");
  }

  /** The connection failed: the service has seen no part of the request, so any request may be retried. */
  #onUnconnected(error: NodeJS.ErrnoException | undefined): void {
    const code = error?.code;
    if (code !== undefined && NOT_LISTENING.has(code)) {
      this.#lease?.release("unreachable");
      if (this.#attempts < MOST_ATTEMPTS) this.#retry();
      else this.#failService("does not listen on its socket");
    } else if (code === "EAGAIN" && this.#crowdedPauses < MOST_CROWDED_PAUSES) {
      this.#crowdedPauses++;
      this.#attempts--;
      this.#lease?.release();
      setTimeout(() => this.#retry(), CROWDED_PAUSE_MS);
    } else {
      const reason = `No connection to ${this.#name()} could be made: ${error?.code ?? "unknown error"}.`;
      this.#fail({ kind: "service_unavailable", reason, retryAfterSeconds: 1 });
    }
  }

  #setTimer(milliseconds: number): void {
    clearTimeout(this.#timer);
    const wait = Math.min(milliseconds, LONGEST_TIMER_MS);
    this.#timer = setTimeout(() => this.#timeOut(wait), wait);
  }

  #timeOut(milliseconds: number): void {
    const reason = `${this.#name()} sent nothing for ${milliseconds / 1000} s.`;
    this.#fail({ kind: "service_timeout", reason });
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
    this.#parts.listener.onBreakOff?.();
    this.#answer.breakOff();
  }

  /** @param isReusable Whether the connection is ready for another request. */
  #finish(isReusable: boolean): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    if (!this.#isSent) this.#source.stop();
    const connection = this.#connection;
    if (connection !== undefined) {
      if (isReusable) this.#parts.pool.give(connection, this.#answer.keepAliveMs);
      else connection.destroy();
    }
    this.#lease?.release();
  }

  #name(): string {
    return (this.#service as Service).application.slug;
  }
}
