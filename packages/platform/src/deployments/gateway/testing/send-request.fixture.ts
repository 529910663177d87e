import { Agent, type IncomingHttpHeaders, type RequestOptions, request } from "node:http";

export interface Received {
  readonly status: number;
  readonly phrase: string;
  /** In order, repeated ones too. */
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly rawTrailers: readonly string[];
  /** Statuses of what came before the answer. */
  readonly information: readonly number[];
}

export interface SentRequest {
  readonly options: RequestOptions;
  /** Written one by one: without a content-length, each is a chunk. */
  readonly body?: readonly Uint8Array[];
  readonly trailers?: readonly [string, string][];
}

/** Sends a request by Node's own client and takes the answer whole. @throws when it breaks off. */
export function sendRequest({ options, body = [], trailers = [] }: SentRequest): Promise<Received> {
  return new Promise((resolve, reject) => {
    const information: number[] = [];
    const sending = request({ agent: ONE_USE, ...options }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("error", reject);
      answer.on("end", () => {
        resolve({
          status: answer.statusCode ?? 0,
          phrase: answer.statusMessage ?? "",
          rawHeaders: answer.rawHeaders,
          headers: answer.headers,
          body: Buffer.concat(chunks),
          rawTrailers: answer.rawTrailers,
          information,
        });
      });
    });
    sending.on("information", ({ statusCode }) => information.push(statusCode));
    sending.on("error", reject);
    for (const chunk of body) sending.write(chunk);
    if (trailers.length > 0) sending.addTrailers(trailers);
    sending.end();
  });
}

const ONE_USE = new Agent({ keepAlive: false });
