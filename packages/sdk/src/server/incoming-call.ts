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
  /** Aborted when the client goes away. Made when it is asked for. */
  readonly signal: AbortSignal;
}

/** The body was read by something in front of us, which did not pass it on: a fault of the program. */
export class BodyTakenError extends Error {
  override readonly name = "BodyTakenError";

  constructor() {
    super("The body of the request has been read already. Set `request.body` to what was read.");
  }
}

/** A web request as an incoming call. */
export function fromRequest(request: Request): IncomingCall {
  return {
    method: request.method,
    path: pathOf(request.url),
    header: (name) => request.headers.get(name),
    readText: (maxBytes) => readAtMost(request, maxBytes),
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

async function readAtMost(request: Request, maxBytes: number): Promise<string | null> {
  if (Number(request.headers.get("content-length")) > maxBytes) return null;
  if (request.body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of request.body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return null;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
