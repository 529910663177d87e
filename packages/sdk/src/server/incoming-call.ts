import type { EvaluationCall } from "../routes/route-types.ts";

/**
 * A request as the server reads it: a web `Request`, or Node's own, which is served without making
 * a `Request` and a `Response` of it.
 */
export interface IncomingCall {
  readonly method: string;
  /** Without host and query. */
  readonly path: string;
  header(name: string): string | null;
  /** The body as text; null when it has more bytes than that. */
  readText(maxBytes: number): Promise<string | null>;
  /** Stops reading the body, if it has not come yet: its rest is not wanted. */
  stopReading(): void;
  /** True once the client is known to have gone away. */
  readonly isGone: boolean;
  /** Aborted when the client goes away. Made when it is asked for. */
  readonly signal: AbortSignal;
  /** Keeps the request alive for work that outlasts its answer, where the platform offers that. */
  readonly waitUntil?: WaitUntil | undefined;
  /** Set by the evaluator alone: no header of a request makes a call one of an evaluation. */
  readonly evaluated?: EvaluatedCall | undefined;
}

/** A call that is made for an evaluation, and the evaluator's interest in it. */
export interface EvaluatedCall {
  readonly evaluation: EvaluationCall;
  /** True to run with the code's own defaults, whatever is deployed. */
  readonly isOfCode: boolean;
  /** Is given what the function threw. */
  onThrown(thrown: unknown): void;
  /** Is given the call's tree of spans as JSON, which is written after its span has ended. */
  onTree(tree: Promise<string>): void;
}

/** Keeps a request alive until a promise has settled. False where the runtime can't do that. */
export type WaitUntil = (work: Promise<unknown>) => unknown;

/** The body was read by something in front of us, which did not pass it on: a fault of the program. */
export class BodyTakenError extends Error {
  override readonly name = "BodyTakenError";

  constructor() {
    super("The body of the request has been read already. Set `request.body` to what was read.");
  }
}

/** A web request as an incoming call. */
export function fromRequest(request: Request, waitUntil?: WaitUntil): IncomingCall {
  const body = new RequestBody(request);
  return {
    method: request.method,
    waitUntil,
    path: pathOf(request.url),
    header: (name) => request.headers.get(name),
    readText: (maxBytes) => body.readText(maxBytes),
    stopReading: () => body.stop(),
    get isGone() {
      return request.signal.aborted;
    },
    get signal() {
      return request.signal;
    },
  };
}

/** What lies between the host and the query. */
export function pathOf(url: string): string {
  const start = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3);
  if (start < 0) return "/";
  const rest = url.slice(start);
  const end = rest.search(/[?#]/);
  return end < 0 ? rest : rest.slice(0, end);
}

class RequestBody {
  readonly #request: Request;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  constructor(request: Request) {
    this.#request = request;
  }

  /** The body as text; null when it has more bytes than that. */
  async readText(maxBytes: number): Promise<string | null> {
    const { headers, body } = this.#request;
    if (Number(headers.get("content-length")) > maxBytes) return null;
    if (body === null) return "";
    const decoder = new TextDecoder();
    const reader = body.getReader();
    this.#reader = reader;
    let text = "";
    let bytes = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      bytes += value.byteLength;
      if (bytes > maxBytes) {
        this.stop();
        return null;
      }
      text += decoder.decode(value, { stream: true });
    }
  }

  stop(): void {
    // What fails here is the client's connection, which is of no interest any more.
    this.#reader?.cancel().catch(() => {});
  }
}
