import { connect } from "node:net";

// A client on bare sockets: the machine has two cores, and what the client spends the server lacks.

export interface LoadOptions {
  readonly port: number;
  readonly connections: number;
  /** The next request as bytes; undefined ends the connection that asked. */
  readonly next: () => Buffer | undefined;
  /** Told of every answer how many milliseconds it took. */
  readonly onAnswer?: (milliseconds: number) => void;
  /** Sends a request again that was answered 503 with `Retry-After`, as an exporter does. Otherwise any 503 fails. */
  readonly retries?: boolean;
}

export interface LoadResult {
  readonly answers: number;
  readonly seconds: number;
  readonly perSecond: number;
}

/** Sends requests over several connections, one at a time on each, until there are no more. */
export async function httpLoad(options: LoadOptions): Promise<LoadResult> {
  const { port, connections, next, onAnswer, retries = false } = options;
  let answers = 0;
  const started = performance.now();
  const count = (milliseconds: number) => {
    answers++;
    onAnswer?.(milliseconds);
  };
  const use = () => useConnection(port, next, count, retries);
  await Promise.all(Array.from({ length: connections }, use));
  const seconds = (performance.now() - started) / 1000;
  return { answers, seconds, perSecond: answers / seconds };
}

/** A `next` that stops after a time. */
export function during(milliseconds: number, request: () => Buffer): () => Buffer | undefined {
  let end: number | undefined;
  return () => {
    end ??= performance.now() + milliseconds;
    return performance.now() < end ? request() : undefined;
  };
}

/** @param accepted What the answer may be compressed with. */
export function getRequest(path: string, accepted?: string): Buffer {
  const more = accepted === undefined ? "" : `Accept-Encoding: ${accepted}\r\n`;
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${more}\r\n`);
}

export function postRequest(
  path: string,
  contentType: string,
  body: Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Buffer {
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: ${contentType}\r\nContent-Length: ${body.byteLength}\r\n${more.join("")}\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

function useConnection(
  port: number,
  next: () => Buffer | undefined,
  onAnswer: (milliseconds: number) => void,
  retries: boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    /** Bytes of the body still to come; undefined before the head of an answer. */
    let left: number | undefined;
    let sent = 0;
    let request: Buffer | undefined;
    /** Seconds after which the same request is to be sent again. */
    let again: number | undefined;
    const write = () => {
      left = undefined;
      if (request === undefined) socket.end();
      else socket.write(request);
    };
    const send = () => {
      request = next();
      sent = performance.now();
      write();
    };
    socket.on("connect", send);
    socket.on("error", reject);
    socket.on("close", () => resolve());
    socket.on("data", (chunk) => {
      if (left === undefined) {
        const end = chunk.indexOf("\r\n\r\n");
        const head = chunk.toString("latin1", 0, end);
        const length = /content-length: (\d+)/i.exec(head)?.[1];
        const wait = /\nretry-after: (\d+)/i.exec(head)?.[1];
        const isOverload = head.startsWith("HTTP/1.1 503") && wait !== undefined;
        again = retries && isOverload ? Number(wait) : undefined;
        const isGood = head.startsWith("HTTP/1.1 200") || again !== undefined;
        if (!isGood || length === undefined) {
          socket.destroy(new Error(`Unexpected answer: ${chunk.toString("latin1", 0, 300)}`));
          return;
        }
        left = Number(length) - (chunk.length - end - 4);
      } else {
        left -= chunk.length;
      }
      if (left === 0 && again !== undefined) setTimeout(write, 1_000 * again);
      else if (left === 0) {
        onAnswer(performance.now() - sent);
        send();
      }
    });
  });
}
