import type { ServerResponse } from "node:http";
import type { Logger } from "pino";
import { QueryAbandonedError } from "../stores/query-lane.ts";
import { TraceGoneError } from "../stores/span-store.ts";
import { VERSION } from "../version.ts";
import type { Answer, AnswerHeaders, FullAnswer, StreamAnswer } from "./answer.ts";
import { compressedAnswer } from "./compressed-answer.ts";
import { pathOf } from "./log/request-log.ts";

const STALLED_MS = 300_000;

/**
 * Writes an answer to a Node response. Going through a web `Response` would cost the hot routes a
 * third of their speed, and could end a broken stream as if it were complete.
 *
 * @throws what the body's iteration throws, after the connection was broken off.
 */
export function sendAnswer(answer: Answer, outgoing: ServerResponse): void | Promise<void> {
  return answer.kind === "full" ? sendFull(answer, outgoing) : sendStream(answer, outgoing);
}

function sendFull(answer: FullAnswer, outgoing: ServerResponse): void {
  const { status, contentType, body } = answer;
  const headers: (string | number)[] = headersOf(answer);
  if (contentType === null) {
    outgoing.writeHead(status, headers);
    outgoing.end();
    return;
  }
  const length = typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
  headers.push("content-length", length);
  outgoing.writeHead(status, headers);
  outgoing.end(body, answer.onSent);
}

async function sendStream(answer: StreamAnswer, outgoing: ServerResponse): Promise<void> {
  // The client went while the answer was made: nothing would tell that it does not read.
  if (outgoing.destroyed) return;
  outgoing.writeHead(answer.status, headersOf(answer));
  if (outgoing.req.method === "HEAD") {
    outgoing.end();
    return;
  }
  if (answer.headFirst === true) outgoing.flushHeaders();
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort());
  try {
    for await (const chunk of answer.open(gone.signal)) {
      if (gone.signal.aborted) return;
      if (!outgoing.write(chunk)) await drained(outgoing);
    }
    outgoing.end();
  } catch (error) {
    outgoing.destroy();
    throw error;
  }
}

/** Waits until the client has taken what was written, or has gone, or has stopped reading. */
function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(patience);
      outgoing.off("drain", done);
      outgoing.off("close", done);
      resolve();
    };
    // It would hold the trace in memory for ever. A timeout of the socket would do as well, but
    // cost every request on it.
    const patience = setTimeout(() => outgoing.destroy(), STALLED_MS);
    outgoing.on("drain", done);
    outgoing.on("close", done);
  });
}

/**
 * The headers of an answer, with those that every answer of the platform carries: names and values
 * in turn, the form that Node takes fastest.
 */
export function headersOf(answer: Answer): string[] {
  const headers = ["agate-version", VERSION, "x-content-type-options", "nosniff"];
  if (answer.contentType !== null) headers.push("content-type", answer.contentType);
  if (answer.headers === undefined) headers.push("cache-control", "no-store");
  else pushOwn(answer.headers, headers);
  return headers;
}

/** Recorded content must not stay in a browser or a proxy: only an answer with its own `cache-control` may. */
function pushOwn(own: AnswerHeaders, headers: string[]): void {
  if (own["cache-control"] === undefined) headers.push("cache-control", "no-store");
  for (const name in own) headers.push(name, own[name] as string);
}

/** Sends an answer and waits until it is handed to the socket. Never rejects once it has begun. */
export type Delivery = (answer: Answer, outgoing: ServerResponse) => void | Promise<void>;

/** Sends answers, compressed where the client takes it, and logs why one was broken off: the client can only see that it was. */
export function createDelivery(log: Logger): Delivery {
  return (answer, outgoing) => {
    const compressed = compressedAnswer(answer, outgoing.req.headers["accept-encoding"]);
    const sent =
      compressed instanceof Promise
        ? compressed.then((ready) => sendAnswer(ready, outgoing))
        : sendAnswer(compressed, outgoing);
    return sent?.catch((error: unknown) => {
      const request = { method: outgoing.req.method, path: pathOf(outgoing.req.url) };
      if (error instanceof TraceGoneError) {
        log.info(request, "A trace was deleted while it was being sent.");
      } else if (!(error instanceof QueryAbandonedError)) {
        log.error({ err: error, ...request }, "An answer was broken off.");
      }
    });
  };
}
