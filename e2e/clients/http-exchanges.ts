import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ClientRequest, IncomingMessage } from "node:http";

export interface HttpExchange {
  readonly contentType: unknown;
  readonly contentEncoding: unknown;
  readonly status: number | undefined;
  readonly answerType: string | undefined;
  readonly retryAfter: string | undefined;
}

const CHANNEL = "http.client.response.finish";

/** Notes what this process exchanges through `node:http`, which is what exporters send with. */
export class HttpExchanges implements Disposable {
  readonly seen: HttpExchange[] = [];

  constructor() {
    subscribe(CHANNEL, this.#note);
  }

  readonly #note = (message: unknown): void => {
    const { request, response } = message as { request: ClientRequest; response: IncomingMessage };
    this.seen.push({
      contentType: request.getHeader("content-type"),
      contentEncoding: request.getHeader("content-encoding"),
      status: response.statusCode,
      answerType: response.headers["content-type"],
      retryAfter: response.headers["retry-after"],
    });
  };

  [Symbol.dispose](): void {
    unsubscribe(CHANNEL, this.#note);
  }
}
