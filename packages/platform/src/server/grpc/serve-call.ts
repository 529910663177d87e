import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import { mustBe, shownValue } from "@agate/protocol";
import { COMPRESSIONS } from "../../ingest/decompress.ts";
import { CALLER, NOT_KEPT } from "../admit.ts";
import { pathOf, type RequestLog } from "../log/request-log.ts";
import { type GrpcStatus, loggedStatus, trailersOf } from "./grpc-status.ts";
import type { GrpcCall, GrpcReply, ReadOutcome } from "./otlp-services.ts";
import { frameMessage, UnaryMessage } from "./unary-message.ts";

export interface ServeOptions {
  readonly handle: (call: GrpcCall) => Promise<GrpcReply>;
  readonly requests: RequestLog;
  readonly onError: (error: unknown) => void;
  /** Milliseconds that a call may take, from its first byte to the answer. */
  readonly timeoutMs: number;
}

const RESPONSE = {
  [constants.HTTP2_HEADER_STATUS]: 200,
  [constants.HTTP2_HEADER_CONTENT_TYPE]: "application/grpc",
  "grpc-accept-encoding": ["identity", ...COMPRESSIONS].join(","),
};
const GRPC_TYPE = /^application\/grpc(?:\+proto)?(?:;|$)/i;

/** Answers one stream of an HTTP/2 connection, with a line in the log. */
export async function serveCall(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  address: string | undefined,
  options: ServeOptions,
): Promise<void> {
  const started = performance.now();
  const method = headers[":method"] ?? "";
  const path = pathOf(headers[":path"]);
  let status = 499;
  const call: GrpcCall = { path, headers, read: (...limits) => readMessage(stream, ...limits) };
  // A client may reset a stream at any moment: it is closed then, which is all there is to it.
  stream.on("error", () => {});
  stream.once("close", () => {
    const { [CALLER]: caller, [NOT_KEPT]: notKept } = call;
    const aborted = stream.rstCode !== constants.NGHTTP2_NO_ERROR;
    const ms = performance.now() - started;
    options.requests.record({ method, path, status, ms, aborted, address, caller, notKept });
  });
  const wrongHead = method === "POST" ? wrongType(headers) : NOT_POST;
  if (wrongHead !== undefined) {
    status = wrongHead;
    respond(stream, { [constants.HTTP2_HEADER_STATUS]: wrongHead });
    return;
  }
  const reply = await replyTo(call, options);
  status = loggedStatus(reply.status);
  send(stream, reply);
}

const NOT_POST = 405;

function wrongType(headers: IncomingHttpHeaders): number | undefined {
  return GRPC_TYPE.test(headers["content-type"] ?? "") ? undefined : 415;
}

/** The handler's reply, or that its time is up. */
async function replyTo(call: GrpcCall, options: ServeOptions): Promise<GrpcReply> {
  const asked = timeoutOf(call.headers["grpc-timeout"]);
  if (typeof asked === "object") return { status: asked };
  const deadline = Promise.withResolvers<GrpcReply>();
  const ms = Math.min(asked, options.timeoutMs);
  const timer = setTimeout(() => deadline.resolve(LATE), ms).unref();
  try {
    return await Promise.race([options.handle(call), deadline.promise]);
  } catch (error) {
    options.onError(error);
    return { status: { code: "INTERNAL", message: "The server failed. Its log has the reason." } };
  } finally {
    clearTimeout(timer);
  }
}

const LATE: GrpcReply = {
  status: { code: "DEADLINE_EXCEEDED", message: "The call was not finished in time." },
};

const UNIT_MS: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1_000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};

/** Milliseconds, infinite where the client sets none; or what is wrong with the header. */
function timeoutOf(text: string | string[] | undefined): number | GrpcStatus {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  const [, digits, unit = ""] = /^(\d{1,8})([HMSmun])$/.exec(String(text)) ?? [];
  if (digits !== undefined) return Number(digits) * (UNIT_MS[unit] ?? 1);
  const rule = mustBe("up to 8 digits and a unit, such as 10S", shownValue(String(text)));
  return { code: "INVALID_ARGUMENT", message: `grpc-timeout: ${rule}` };
}

function readMessage(
  stream: ServerHttp2Stream,
  limit: number,
  meter: (bytes: number) => boolean,
): Promise<ReadOutcome> {
  const message = new UnaryMessage(limit);
  return new Promise((resolve) => {
    const onData = (chunk: Buffer) => {
      const fault = message.push(chunk);
      if (fault !== undefined) finish({ kind: "fault", fault });
      else if (!meter(message.length)) finish({ kind: "no-room" });
    };
    const onEnd = () => finish(stream.aborted ? { kind: "cancelled" } : message.end());
    const onClose = () => finish({ kind: "cancelled" });
    const finish = (outcome: ReadOutcome) => {
      stream.off("data", onData);
      stream.off("end", onEnd);
      stream.off("close", onClose);
      resolve(outcome);
    };
    stream.on("data", onData);
    stream.on("end", onEnd);
    stream.on("close", onClose);
    if (stream.destroyed) onClose();
    // A call without a message has ended before anything listens.
    else if (stream.readableEnded) onEnd();
  });
}

function send(stream: ServerHttp2Stream, { status, message }: GrpcReply): void {
  const trailers = trailersOf(status);
  if (message === undefined) {
    respond(stream, { ...RESPONSE, ...trailers });
    return;
  }
  if (stream.destroyed || stream.closed) return;
  stream.respond(RESPONSE, { waitForTrailers: true });
  stream.once("wantTrailers", () => stream.sendTrailers(trailers));
  stream.end(frameMessage(message));
}

/** An answer without a message. A client that is still sending is told to stop. */
function respond(stream: ServerHttp2Stream, headers: Record<string, string | number>): void {
  // Reset by the client, in the worst case before it was heard of here.
  if (stream.destroyed || stream.closed) return;
  stream.respond(headers, { endStream: true });
  stream.resume();
  if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
}
