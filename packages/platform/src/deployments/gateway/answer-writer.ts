import type { ServerResponse } from "node:http";
import type { ResponseHead } from "./response-head.ts";
import type { ResponseListener } from "./response-reader.ts";

/** Up to this size, a text is handed to Node sooner than a copy of the bytes. */
const MOST_TEXT_BYTES = 16 * 1024;

/** Streams the answer of a service to the client. */
export class AnswerWriter implements ResponseListener {
  readonly #outgoing: ServerResponse;
  readonly #onDrain: () => void;
  readonly #onAnswerHead: ((head: ResponseHead) => void) | undefined;
  /** Not sent yet: with the body, if it comes at once, it is one write. */
  #head: ResponseHead | undefined;
  #hasLength = false;
  #isListening = false;
  #isRoomy = true;
  keepAliveMs = 0;

  /**
   * @param onDrain Called when the client can take more.
   * @param onAnswerHead Called with the head of the answer.
   */
  constructor(
    outgoing: ServerResponse,
    onDrain: () => void,
    onAnswerHead?: (head: ResponseHead) => void,
  ) {
    this.#outgoing = outgoing;
    this.#onDrain = onDrain;
    this.#onAnswerHead = onAnswerHead;
  }

  get hasBegun(): boolean {
    return this.#outgoing.headersSent;
  }

  onInformation({ status, headers }: ResponseHead): void {
    // 100 was answered by the platform itself. HTTP/1.0 does not know any of them.
    if (status === 100 || this.#outgoing.req.httpVersion === "1.0") return;
    this.#outgoing.writeInformation(status, headers);
  }

  onHead(head: ResponseHead): void {
    this.#head = head;
    this.#onAnswerHead?.(head);
    this.#hasLength = head.body.kind === "length";
    this.keepAliveMs = head.keepAliveMs;
  }

  onBody(bytes: Buffer, isLast: boolean): void {
    this.#sendHead();
    const isText = bytes.length <= MOST_TEXT_BYTES;
    if (isLast) {
      if (isText) this.#outgoing.end(bytes.toString("latin1"), "latin1");
      else this.#outgoing.end(Buffer.from(bytes));
    } else {
      this.#isRoomy = isText
        ? this.#outgoing.write(bytes.toString("latin1"), "latin1")
        : this.#outgoing.write(Buffer.from(bytes));
    }
  }

  onEnd(trailers: readonly [name: string, value: string][]): void {
    this.#sendHead();
    if (this.#outgoing.writableEnded) return;
    if (trailers.length > 0) this.#outgoing.addTrailers(trailers);
    this.#outgoing.end();
  }

  /** Sends the head of an answer whose body is not there yet. @returns whether there is room for more. */
  flush(): boolean {
    if (this.#head !== undefined) {
      this.#sendHead();
      this.#outgoing.flushHeaders();
    }
    if (!this.#isRoomy && !this.#isListening) {
      this.#isListening = true;
      this.#outgoing.on("drain", () => {
        this.#isRoomy = true;
        this.#onDrain();
      });
    }
    return this.#isRoomy;
  }

  /** Ends the connection in a way that the client cannot mistake for a complete answer. */
  breakOff(): void {
    const outgoing = this.#outgoing;
    const { socket } = outgoing;
    // Where only the end of the connection ends the answer, it must not end in order.
    const isOpenEnded = !outgoing.chunkedEncoding && !this.#hasLength;
    if (isOpenEnded && socket !== null && "resetAndDestroy" in socket) socket.resetAndDestroy();
    else outgoing.destroy();
  }

  #sendHead(): void {
    const head = this.#head;
    if (head === undefined) return;
    this.#head = undefined;
    const outgoing = this.#outgoing;
    const isChunked = head.body.kind === "chunked" && outgoing.req.httpVersion === "1.1";
    const headers = isChunked ? head.headers : withoutTrailerField(head.headers);
    outgoing.writeHead(head.status, head.phrase, headers);
  }
}

/** Node refuses to announce trailers where it cannot send them. */
function withoutTrailerField(headers: string[]): string[] {
  for (let n = 0; n < headers.length; n += 2) {
    if ((headers[n] as string).toLowerCase() !== "trailer") continue;
    return headers.filter((_, i) => (headers[i - (i % 2)] as string).toLowerCase() !== "trailer");
  }
  return headers;
}
