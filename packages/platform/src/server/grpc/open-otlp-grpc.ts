import type { Logger } from "pino";
import type { HttpServer } from "../http-server.ts";
import type { OtlpGrpcAddress } from "../listen-address.ts";
import { OTLP_GRPC_PORT } from "../listen-address.ts";
import type { RequestLog } from "../log/request-log.ts";
import { type GrpcServer, startGrpcServer } from "./grpc-server.ts";
import { createOtlpServices, type OtlpServicesOptions } from "./otlp-services.ts";

export interface OtlpGrpcOptions extends Omit<OtlpServicesOptions, "onUnavailable"> {
  readonly address: OtlpGrpcAddress;
  /** Where it listens if the address names no host. */
  readonly host: string;
  /** What serves HTTP; the two share their connections. */
  readonly http: HttpServer;
  /** Of both. */
  readonly maxConnections: number;
  readonly requests: RequestLog;
  readonly log: Logger;
}

/** Whether, and where, OTLP over gRPC is taken. */
export type OtlpGrpc =
  | { readonly kind: "listening"; readonly server: GrpcServer }
  /** It was not asked for. */
  | { readonly kind: "off" }
  /** The usual port cannot be used, and no other was named. */
  | { readonly kind: "not-free"; readonly reason: string };

/** At most this part of the connections is for gRPC: exporters need one each, pages several. */
const PART_OF_CONNECTIONS = 1 / 4;

/** Starts to take OTLP over gRPC where the address says. `refused`: a named port cannot be used. */
export async function openOtlpGrpc(
  options: OtlpGrpcOptions,
): Promise<OtlpGrpc | { readonly kind: "refused"; readonly reason: string }> {
  const { address, http, log, requests, maxConnections } = options;
  if (address === "off") return { kind: "off" };
  const named = address === "if-free" ? { port: OTLP_GRPC_PORT } : address;
  const outcome = await startGrpcServer({
    handle: createOtlpServices({
      ...options,
      onUnavailable: (reason) => log.error({ reason }, "The store could not write."),
    }),
    host: named.host ?? options.host,
    port: named.port,
    maxConnections: Math.ceil(maxConnections * PART_OF_CONNECTIONS),
    onConnections: http.shareConnections,
    httpUrl: http.url,
    requests,
    onError: (err) => log.error({ err }, "A gRPC call failed."),
    onTls: atMostEvery(LOG_AGAIN_MS, () =>
      log.warn(
        "A client began with TLS on the gRPC port, which has none. Give it an endpoint with http://, or set it to insecure.",
      ),
    ),
  });
  if (outcome.kind === "listening") return outcome;
  return address === "if-free" ? { kind: "not-free", reason: outcome.reason } : outcome;
}

/** How often the log repeats that clients use the wrong port. */
const LOG_AGAIN_MS = 60_000;

/** What clients with HTTP/2 are told on the port of HTTP, with a line in the log. */
export function http2Advice(otlpGrpc: () => OtlpGrpc, log: Logger): () => string {
  const warn = atMostEvery(LOG_AGAIN_MS, (advice: string) => log.warn(advice));
  return () => {
    const open = otlpGrpc();
    const where =
      open.kind === "listening"
        ? `OTLP over gRPC is taken at ${open.server.url}`
        : "OTLP over gRPC is off (--otlp-grpc)";
    warn(
      `A client began with HTTP/2 on the port of HTTP, and was refused. ${where}; here exporters need http/protobuf.`,
    );
    return `This port speaks HTTP/1.1. ${where}; here use http/protobuf.`;
  };
}

function atMostEvery<Arguments extends readonly unknown[]>(
  ms: number,
  act: (...given: Arguments) => void,
): (...given: Arguments) => void {
  let next = 0;
  return (...given) => {
    if (performance.now() < next) return;
    next = performance.now() + ms;
    act(...given);
  };
}
