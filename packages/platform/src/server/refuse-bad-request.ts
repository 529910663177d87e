import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { FullAnswer } from "./answer.ts";
import { headersOf } from "./base-headers.ts";
import { problemAnswer } from "./errors/error-answer.ts";

/** Time for the client to read the answer: closed at once, it could be lost with what was unread. */
const LINGER_MS = 1_000;

/** Answers what Node could not read as a request; there is no response object then. */
export function refuseBadRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  // Reset by the client, or an answer is under way already: nobody would understand another.
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const answer = answerFor(error.code);
  const length = String(Buffer.byteLength(answer.body));
  const headers = [...headersOf(answer), "content-length", length, "connection", "close"];
  let head = `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n`;
  for (let n = 0; n < headers.length; n += 2) head += `${headers[n]}: ${headers[n + 1]}\r\n`;
  // A client that never closes its side would keep the socket for ever.
  const linger = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once("close", () => clearTimeout(linger));
  socket.end(`${head}\r\n${answer.body}`);
}

function answerFor(code: string | undefined): FullAnswer {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return problemAnswer({
        type: "headers_too_large",
        loc: ["header"],
        msg: "The request line and headers are larger than 64 KiB.",
      });
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return problemAnswer({
        type: "request_timeout",
        loc: [],
        msg: "The request took too long to arrive.",
      });
    default:
      return problemAnswer({
        type: "request_malformed",
        loc: [],
        msg: "The request is not valid HTTP/1.1.",
      });
  }
}
