import type { IncomingHttpHeaders } from "node:http2";
import { mustBe, shownValue } from "@agate/protocol";
import type { OpenAccess } from "../../access/open-access.ts";
import { compressionOf } from "../../ingest/decompress.ts";
import type { IngestRequest } from "../../ingest/ingest-service.ts";
import { RETRY_AFTER_SECONDS } from "../../ingest/ingest-service.ts";
import { admit, CALLER, credentialsOf, NOT_KEPT } from "../admit.ts";
import { problemAnswer } from "../answer.ts";
import { checkHost, type GuardedRequest, type HostPolicy } from "../origin-guard.ts";
import type { HealthDependencies } from "../routes/health.ts";
import {
  bodyTooLarge,
  busyAnswer,
  type IngestRouteOptions,
  outcomeAnswer,
} from "../routes/ingest-traces.ts";
import { type GrpcStatus, OK, statusOf } from "./grpc-status.ts";
import type { MessageEnd } from "./unary-message.ts";

/** A unary call whose message has yet to arrive. */
export interface GrpcCall {
  /** `/package.Service/Method` */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Set when it is known who calls: for the log. */
  [CALLER]?: GuardedRequest[typeof CALLER];
  /** How many items were taken and not stored: likewise. */
  [NOT_KEPT]?: number;
  /**
   * Reads the message, up to a limit.
   *
   * @param meter Told how much has arrived; false ends the reading, with `no-room`.
   */
  read(limit: number, meter: (bytes: number) => boolean): Promise<ReadOutcome>;
}

export type ReadOutcome =
  | MessageEnd
  | { readonly kind: "no-room" }
  /** The client has cancelled the call, or is gone. */
  | { readonly kind: "cancelled" };

export interface GrpcReply {
  readonly status: GrpcStatus;
  /** Only with the status OK. */
  readonly message?: Uint8Array;
}

export interface OtlpServicesOptions extends IngestRouteOptions {
  readonly access: Pick<OpenAccess, "control" | "lookUp">;
  readonly hostPolicy: HostPolicy;
  /** What `GET /health/ready` asks. */
  readonly health: HealthDependencies;
}

const COLLECTOR = "opentelemetry.proto.collector";
const SIGNALS: ReadonlyMap<string, IngestRequest["signal"]> = new Map([
  [`/${COLLECTOR}.trace.v1.TraceService/Export`, "traces"],
  [`/${COLLECTOR}.logs.v1.LogsService/Export`, "logs"],
  [`/${COLLECTOR}.metrics.v1.MetricsService/Export`, "metrics"],
]);

const HEALTH_CHECK = "/grpc.health.v1.Health/Check";
/** `HealthCheckResponse{status: SERVING}` */
const SERVING = Uint8Array.of(1 << 3, 1);
/** `HealthCheckResponse{status: NOT_SERVING}` */
const NOT_SERVING = Uint8Array.of(1 << 3, 2);
/** A service's name is all that a request for its health holds. */
const MOST_HEALTH_BYTES = 1024;

/**
 * The services of OTLP over gRPC: the same access, limits and messages as `POST /v1/traces`,
 * `/v1/logs` and `/v1/metrics`; and the health check of gRPC, which needs no key.
 */
export function createOtlpServices(
  options: OtlpServicesOptions,
): (call: GrpcCall) => Promise<GrpcReply> {
  return async (call) => {
    const { headers } = call;
    const host = headers[":authority"] ?? headers.host;
    // The cookie belongs to the page, which does not call this.
    const sender: GuardedRequest = {
      method: "POST",
      url: call.path,
      headers: { ...headers, host, cookie: undefined },
    };
    const refused = checkHost(options.hostPolicy, sender);
    if (refused !== undefined) return failed(problemAnswer(refused));
    if (call.path === HEALTH_CHECK) return checkHealth(call, options.health);
    const signal = SIGNALS.get(call.path);
    if (signal === undefined) {
      return fault("UNIMPLEMENTED", `There is no method ${shownValue(call.path)}.`);
    }
    const { access } = options;
    await access.lookUp?.(credentialsOf(sender, "any"));
    const admission = admit(access.control, "ingest", sender, "any");
    call[CALLER] = sender[CALLER];
    if (admission.kind === "rejected") return failed(admission.answer);
    const encoding = headers["grpc-encoding"]?.toString();
    const compression = compressionOf(encoding);
    if (compression === undefined) {
      const rule = mustBe("gzip, zstd, deflate or identity", shownValue(encoding));
      return fault("UNIMPLEMENTED", `grpc-encoding: ${rule}`);
    }
    const { project, pair } = admission.caller;
    const sent = { signal, project, build: pair?.build, compression };
    return receive(call, sent, options);
  };
}

/** Reads a request and answers when what it holds is on disk. */
async function receive(
  call: GrpcCall,
  sent: Pick<IngestRequest, "signal" | "project" | "build" | "compression">,
  { ingest, maxBodyBytes, onUnavailable }: OtlpServicesOptions,
): Promise<GrpcReply> {
  const intake = ingest.begin();
  try {
    // From the start: a connection may open many calls and send no message.
    if (!intake.arrived(0)) return failed(busyAnswer(RETRY_AFTER_SECONDS));
    const read = await call.read(maxBodyBytes, intake.arrived);
    if (read.kind !== "message") return unread(read, maxBodyBytes);
    if (read.isCompressed && sent.compression === "none") {
      return fault("INVALID_ARGUMENT", "The message is compressed, but grpc-encoding is missing.");
    }
    const outcome = await intake.ingest({
      ...sent,
      encoding: "protobuf",
      compression: read.isCompressed ? sent.compression : "none",
      body: read.bytes,
    });
    if (outcome.kind === "unavailable") onUnavailable(outcome.reason);
    if (outcome.kind !== "accepted") return failed(outcomeAnswer(outcome, "protobuf"));
    if (outcome.notKept) call[NOT_KEPT] = outcome.notKept;
    return { status: OK, message: outcome.body };
  } finally {
    intake.end();
  }
}

/** Why there is no message. */
function unread(
  read: Exclude<ReadOutcome, { readonly kind: "message" }>,
  maxBodyBytes: number,
): GrpcReply {
  if (read.kind === "no-room") return failed(busyAnswer(RETRY_AFTER_SECONDS));
  if (read.kind === "cancelled") return fault("CANCELLED", "The client has cancelled the call.");
  if (read.fault === "too-large") return failed(bodyTooLarge(maxBodyBytes));
  return fault("INVALID_ARGUMENT", FAULTS[read.fault]);
}

const FAULTS = {
  "bad-prefix": "The message must begin with 0 or 1, which says whether it is compressed.",
  several: "A unary call has one message; the client sent more.",
  incomplete: "The call ended before its message did.",
} as const;

/** Whether the server is ready, as `GET /health/ready` says it, whichever service is asked for. */
async function checkHealth(
  call: GrpcCall,
  { closing, readiness }: HealthDependencies,
): Promise<GrpcReply> {
  const { kind } = await call.read(MOST_HEALTH_BYTES, () => true);
  if (kind !== "message") {
    return fault("INVALID_ARGUMENT", "The message must be a HealthCheckRequest.");
  }
  const isReady = !closing.aborted && (await readiness.failing()).length === 0;
  return { status: OK, message: isReady ? SERVING : NOT_SERVING };
}

function failed(answer: Parameters<typeof statusOf>[0]): GrpcReply {
  return { status: statusOf(answer) };
}

function fault(code: GrpcStatus["code"], message: string): GrpcReply {
  return { status: { code, message } };
}
