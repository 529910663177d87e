import { builtinModule } from "../runtime/workers-runtime.ts";

/** An answer to one request of the exporter. */
export interface PostAnswer {
  readonly status: number;
  readonly headers: Pick<Headers, "get">;
  readonly body: Uint8Array;
}

/** Servers close idle connections after 5 seconds or later: a request must not be on its way then. */
const IDLE_MS = 4_000;

// Named by what is used of them, so that this file needs neither Node nor its types.

interface NodeHttp {
  readonly Agent: new (options: {
    readonly keepAlive: boolean;
    readonly timeout: number;
  }) => object;
  request(
    url: URL,
    options: {
      readonly method: string;
      readonly agent: object;
      readonly headers: Readonly<Record<string, string | number>>;
      readonly signal: AbortSignal;
    },
    onAnswer: (answer: NodeAnswer) => void,
  ): NodeRequest;
}

interface NodeRequest {
  on(event: "error", listener: (error: Error) => void): unknown;
  end(body: Uint8Array): unknown;
}

/** Node's `IncomingMessage`. */
interface NodeAnswer {
  readonly statusCode?: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  on(event: "data", listener: (chunk: Uint8Array) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/**
 * Posts to a server on this machine with `node:http`. `fetch` copies each body and makes streams around
 * it: sending a batch of spans that way takes two to three times as much processor time.
 */
export class LocalPost {
  readonly #http: NodeHttp;
  readonly #agent: object;
  readonly #url: URL;

  private constructor(http: NodeHttp, url: URL) {
    this.#http = http;
    this.#agent = new http.Agent({ keepAlive: true, timeout: IDLE_MS });
    this.#url = url;
  }

  /** Undefined where the server may be elsewhere, and on runtimes other than Node. */
  static to(url: string): LocalPost | undefined {
    const parsed = URL.parse(url);
    if (parsed === null || !isLocal(parsed) || !isNode()) return undefined;
    const http = builtinModule<NodeHttp>("node:http");
    return http && new LocalPost(http, parsed);
  }

  /** Rejects where there is no complete answer: with the signal's reason once that is aborted. */
  send(
    headers: Readonly<Record<string, string>>,
    body: Uint8Array,
    signal: AbortSignal,
  ): Promise<PostAnswer> {
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void => reject(signal.aborted ? signal.reason : error);
      const options = {
        method: "POST",
        agent: this.#agent,
        headers: { ...headers, "content-length": body.byteLength },
        signal,
      };
      const request = this.#http.request(this.#url, options, (answer) => {
        const chunks: Uint8Array[] = [];
        answer.on("data", (chunk) => chunks.push(chunk));
        answer.on("end", () => resolve(answerOf(answer, chunks)));
        answer.on("error", fail);
      });
      request.on("error", fail);
      request.end(body);
    });
  }
}

function answerOf({ statusCode = 0, headers }: NodeAnswer, chunks: Uint8Array[]): PostAnswer {
  const get = (name: string): string | null => {
    const value = headers[name];
    return typeof value === "string" ? value : null;
  };
  return { status: statusCode, headers: { get }, body: joined(chunks) };
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(chunks.reduce((bytes, chunk) => bytes + chunk.byteLength, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** No proxy and no certificate is between this process and such a server. */
function isLocal({ protocol, hostname, username, password }: URL): boolean {
  // `fetch` refuses an address with a password.
  return protocol === "http:" && LOOPBACK.test(hostname) && username === "" && password === "";
}

function isNode(): boolean {
  const { navigator } = globalThis as { navigator?: { userAgent?: string } };
  return navigator?.userAgent?.startsWith("Node.js/") === true;
}

/** Where undici, in Node or installed, keeps what its requests go through. */
const DISPATCHER = Symbol.for("undici.globalDispatcher.1");

/** Whether the program lets `fetch` go through something of its own: a proxy, or a mock of a test. */
export function hasOwnDispatcher(): boolean {
  const dispatcher = (globalThis as { [DISPATCHER]?: object })[DISPATCHER];
  return dispatcher !== undefined && dispatcher.constructor.name !== "Agent";
}
