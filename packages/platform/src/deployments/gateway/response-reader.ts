import {
  MalformedResponse,
  parseResponseHead,
  parseTrailers,
  type ResponseHead,
} from "./response-head.ts";

/** Hears of the parts of a response. Bytes are lent: they are overwritten after the call. */
export interface ResponseListener {
  /** A 1xx before the response. */
  onInformation(head: ResponseHead): void;
  onHead(head: ResponseHead): void;
  /** `isLast`: nothing comes after it but {@link onEnd}. */
  onBody(bytes: Buffer, isLast: boolean): void;
  onEnd(trailers: readonly [name: string, value: string][]): void;
}

const MOST_HEAD_BYTES = 64 * 1024;
/** A chunk's length in hexadecimal and what may stand beside it. */
const MOST_CHUNK_LINE_BYTES = 1024;
const HEAD_END = Buffer.from("\r\n\r\n");
const LINE_END = Buffer.from("\r\n");

/** The length, and extensions, which a recipient must ignore: RFC 9112, 7.1.1. */
const CHUNK_LINE =
  /^([\da-f]{1,12})(?:;[\w!#$%&'*+\-.^`|~]+(?:=(?:[\w!#$%&'*+\-.^`|~]+|"[ !#-[\]-~]*"))?)*$/i;

/** What the next bytes are. */
type Part = "head" | "body" | "chunk-line" | "chunk" | "chunk-end" | "trailers" | "rest" | "done";

/** Parses one response from the bytes of a connection, in chunks of any size. */
export class ResponseReader {
  readonly #method: string;
  readonly #listener: ResponseListener;
  #part: Part = "head";
  /** Of the body or chunk, bytes to come. */
  #left = 0;
  /** The beginning of a head or line that has not come whole. */
  #kept: Buffer | undefined;

  /** @param method Of the request. */
  constructor(method: string, listener: ResponseListener) {
    this.#method = method;
    this.#listener = listener;
  }

  get isDone(): boolean {
    return this.#part === "done";
  }

  /** @throws MalformedResponse */
  push(bytes: Buffer): void {
    let rest = this.#joined(bytes);
    while (rest.length > 0 && this.#part !== "done") {
      const taken = this.#take(rest);
      if (taken === 0) {
        this.#kept = Buffer.from(rest);
        return;
      }
      if (taken === rest.length) return;
      rest = rest.subarray(taken);
    }
    if (rest.length > 0) throw new MalformedResponse("it has bytes after its end");
  }

  /** The connection has ended. @returns whether the response is whole. */
  finish(): boolean {
    if (this.#part === "rest") this.#end([]);
    return this.isDone;
  }

  #joined(bytes: Buffer): Buffer {
    const kept = this.#kept;
    if (kept === undefined) return bytes;
    this.#kept = undefined;
    return Buffer.concat([kept, bytes]);
  }

  /** @returns how many bytes it could use; 0 when more must come first. */
  #take(bytes: Buffer): number {
    switch (this.#part) {
      case "head":
        return this.#takeHead(bytes);
      case "body":
      case "chunk":
        return this.#takeBody(bytes);
      case "chunk-line":
        return this.#takeChunkLine(bytes);
      case "chunk-end":
        return this.#takeChunkEnd(bytes);
      case "trailers":
        return this.#takeTrailers(bytes);
      case "rest":
        this.#listener.onBody(bytes, false);
        return bytes.length;
      case "done":
        return 0;
    }
  }

  #takeHead(bytes: Buffer): number {
    const end = endOf(bytes, HEAD_END, MOST_HEAD_BYTES);
    if (end < 0) return 0;
    const head = parseResponseHead(bytes.toString("latin1", 0, end), this.#method);
    if (head.status === 101) throw new MalformedResponse("it changes the protocol");
    if (head.status < 200) {
      this.#listener.onInformation(head);
      return end + 4;
    }
    this.#listener.onHead(head);
    const { body } = head;
    if (body.kind === "none") this.#end([]);
    else if (body.kind === "chunked") this.#part = "chunk-line";
    else if (body.kind === "until-close") this.#part = "rest";
    else {
      this.#part = "body";
      this.#left = body.bytes;
    }
    return end + 4;
  }

  #takeBody(bytes: Buffer): number {
    const part = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes;
    this.#left -= part.length;
    const isChunk = this.#part === "chunk";
    this.#listener.onBody(part, this.#left === 0 && !isChunk);
    if (this.#left === 0) {
      if (isChunk) this.#part = "chunk-end";
      else this.#end([]);
    }
    return part.length;
  }

  #takeChunkLine(bytes: Buffer): number {
    const end = endOf(bytes, LINE_END, MOST_CHUNK_LINE_BYTES);
    if (end < 0) return 0;
    const line = bytes.toString("latin1", 0, end);
    const digits = CHUNK_LINE.exec(line)?.[1];
    if (digits === undefined) throw new MalformedResponse("the length of a chunk is malformed");
    this.#left = Number.parseInt(digits, 16);
    this.#part = this.#left === 0 ? "trailers" : "chunk";
    return end + 2;
  }

  #takeChunkEnd(bytes: Buffer): number {
    if (bytes.length < 2) return 0;
    if (bytes[0] !== 13 || bytes[1] !== 10) {
      throw new MalformedResponse("a chunk is longer than it said");
    }
    this.#part = "chunk-line";
    return 2;
  }

  #takeTrailers(bytes: Buffer): number {
    if (bytes.length >= 2 && bytes[0] === 13 && bytes[1] === 10) {
      this.#end([]);
      return 2;
    }
    const end = endOf(bytes, HEAD_END, MOST_HEAD_BYTES);
    if (end < 0) return 0;
    this.#end(parseTrailers(bytes.toString("latin1", 0, end)));
    return end + 4;
  }

  #end(trailers: readonly [name: string, value: string][]): void {
    this.#part = "done";
    this.#listener.onEnd(trailers);
  }
}

/** Where a mark begins; -1 where it has not come yet. @throws MalformedResponse when it is too far. */
function endOf(bytes: Buffer, mark: Buffer, most: number): number {
  const end = bytes.indexOf(mark);
  if (end > most || (end < 0 && bytes.length > most)) {
    throw new MalformedResponse(`a part of it is longer than ${most} bytes`);
  }
  return end;
}
