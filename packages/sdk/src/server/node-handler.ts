import type { Answer, EventSource } from "./answer.ts";
import { BodyTakenError, type IncomingCall, pathOf } from "./incoming-call.ts";

// Named by what is used of them, so that this file needs neither Node nor its types.

/** Node's `IncomingMessage`, also as Express and Fastify extend it. */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Set where something in front of us has read the body already. */
  readonly body?: unknown;
  readonly readableEnded?: boolean;
  on(event: "data", listener: (chunk: Uint8Array) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  resume(): unknown;
}

/** Node's `ServerResponse`. */
export interface NodeResponse {
  readonly writableFinished: boolean;
  /** True once the connection is closed. */
  readonly destroyed: boolean;
  writeHead(status: number, headers: Readonly<Record<string, string | number>>): unknown;
  write(chunk: string): boolean;
  end(chunk?: string): unknown;
  destroy(): unknown;
  on(event: "close" | "drain", listener: () => void): unknown;
  off(event: "close" | "drain", listener: () => void): unknown;
}

const decoder = new TextDecoder();

/** One of Node's requests, and what a framework around it knows better. */
export interface NodeExchange {
  readonly request: NodeRequest;
  readonly response: NodeResponse;
  /** The URL without the prefix that the app is mounted at; the request's where not given. */
  readonly url?: string | undefined;
  /** The body, where something in front of us has read it already. */
  readonly body?: unknown;
  /** Where it is given, a request for a path that is not ours is passed on. */
  readonly next?: (() => void) | undefined;
}

/** Answers one of Node's requests, without making a `Request` and a `Response` of it. */
export async function answerNode(
  answer: (incoming: IncomingCall) => Answer | Promise<Answer>,
  exchange: NodeExchange,
): Promise<void> {
  const { request, response, next } = exchange;
  const client = new NodeCall(exchange);
  const { status, headers, body, isUnserved } = await answer(client);
  if (isUnserved && next !== undefined) return next();
  if (typeof body !== "string") {
    try {
      response.writeHead(status, headers);
      await sendEvents(response, body);
    } finally {
      // Where the answer could not be begun, nothing else ends its source.
      body.abandon();
    }
    return;
  }
  if (client.isUnread) request.resume();
  // A 204 has no content, and so no length.
  const sent: Record<string, string | number> =
    status === 204 ? { ...headers } : { ...headers, "content-length": byteLength(body) };
  // The rest of a body would hold the connection for as long as the client takes to send it.
  if (client.isStopped) sent.connection = "close";
  response.writeHead(status, sent);
  response.end(body);
}

class NodeCall implements IncomingCall {
  readonly method: string;
  readonly path: string;
  readonly #request: NodeRequest;
  readonly #response: NodeResponse;
  readonly #body: unknown;
  #controller: AbortController | undefined;
  #isRead = false;
  #isComplete = false;
  #isStopped = false;

  constructor({ request, response, url, body }: NodeExchange) {
    this.method = request.method ?? "GET";
    this.path = pathOf(url ?? request.url ?? "/");
    this.#request = request;
    this.#response = response;
    this.#body = body ?? request.body;
  }

  /** True while the body waits to be read: the connection could not be used again. */
  get isUnread(): boolean {
    return !this.#isRead;
  }

  /** True where the rest of the body was not waited for. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  get isGone(): boolean {
    return this.#response.destroyed && !this.#response.writableFinished;
  }

  readonly header = (name: string): string | null => {
    const value = this.#request.headers[name];
    return typeof value === "string" ? value : (value?.[0] ?? null);
  };

  readText(maxBytes: number): Promise<string | null> {
    const request = this.#request;
    if (Number(this.header("content-length")) > maxBytes) return Promise.resolve(null);
    if (this.#body !== undefined) return Promise.resolve(textOf(this.#body));
    if (request.readableEnded) return Promise.reject(new BodyTakenError());
    this.#isRead = true;
    return new Promise((resolve, reject) => {
      const chunks: Uint8Array[] = [];
      let bytes = 0;
      request.on("data", (chunk) => {
        if (this.#isStopped) return;
        bytes += chunk.byteLength;
        if (bytes > maxBytes) resolve(null);
        else chunks.push(chunk);
      });
      request.on("end", () => {
        this.#isComplete = true;
        resolve(decoded(joined(chunks, bytes)));
      });
      request.on("error", reject);
    });
  }

  stopReading(): void {
    this.#isStopped = this.#isRead && !this.#isComplete;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      const onClose = (): void => {
        if (!this.#response.writableFinished) controller.abort();
      };
      // It may be asked for when the client is gone already.
      if (this.#response.destroyed) onClose();
      else this.#response.on("close", onClose);
    }
    return this.#controller.signal;
  }
}

function joined(chunks: readonly Uint8Array[], bytes: number): Uint8Array | undefined {
  // Most bodies come in one piece.
  if (chunks.length < 2) return chunks[0];
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}

/** What a body parser left: the parsed value, a text, or bytes. */
function textOf(body: unknown): string {
  if (body instanceof Uint8Array) return decoded(body);
  return typeof body === "string" ? body : JSON.stringify(body);
}

/** Sends events as the client takes them. A client that goes away ends their source. */
async function sendEvents(response: NodeResponse, source: EventSource): Promise<void> {
  let wake: (() => void) | undefined;
  let isGone = false;
  const onClose = (): void => {
    isGone = true;
    source.abandon();
    wake?.();
  };
  const onDrain = (): void => wake?.();
  response.on("close", onClose);
  response.on("drain", onDrain);
  if (response.destroyed) onClose();
  try {
    for await (const event of source.events) {
      if (isGone) return;
      if (response.write(event) || isGone) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    response.end();
  } finally {
    response.off("close", onClose);
    response.off("drain", onDrain);
  }
}

const { Buffer } = globalThis as { Buffer?: NodeBuffers };

interface NodeBuffers {
  byteLength(text: string): number;
  isBuffer(bytes: unknown): boolean;
}

/** What a byte order mark begins with, which only a `TextDecoder` leaves out. */
const MARK = 0xef;

// Node decodes its own bytes in less time than a `TextDecoder` does, and replaces what is not valid alike.
function decoded(bytes: Uint8Array | undefined): string {
  const isOwn = bytes !== undefined && bytes[0] !== MARK && Buffer?.isBuffer(bytes) === true;
  return isOwn ? bytes.toString() : decoder.decode(bytes);
}

// Node counts without encoding, which shows on the path of every call.
function byteLength(text: string): number {
  return Buffer === undefined ? new TextEncoder().encode(text).byteLength : Buffer.byteLength(text);
}
