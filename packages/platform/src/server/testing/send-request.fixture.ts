import type { IncomingHttpHeaders } from "node:http";
import { request } from "node:http";

export interface TestRequest {
  readonly method?: string;
  /** Request target, sent as it is. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface TestResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly json: any;
}

/** One request over a connection of its own, with nothing added or tidied as `fetch` would. */
export function sendRequest(port: number, options: TestRequest): Promise<TestResponse> {
  const { method = "GET", path, headers = {}, body } = options;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { host: "127.0.0.1", port, method, path, headers, agent: false },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.on("error", reject);
        incoming.on("end", () => {
          resolve(response(incoming.statusCode ?? 0, incoming.headers, Buffer.concat(chunks)));
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

function response(status: number, headers: IncomingHttpHeaders, body: Buffer): TestResponse {
  return {
    status,
    headers,
    body,
    get json() {
      return JSON.parse(body.toString());
    },
  };
}
