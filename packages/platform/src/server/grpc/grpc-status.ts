import type { ErrorBody } from "@agate/protocol";
import { varint } from "../../ingest/otlp/encode-export-response.ts";
import type { FullAnswer } from "../answer.ts";

/** https://grpc.io/docs/guides/status-codes: the number of each code, and the HTTP status that the log has for it. */
const CODES = {
  OK: { number: 0, http: 200 },
  CANCELLED: { number: 1, http: 499 },
  INVALID_ARGUMENT: { number: 3, http: 400 },
  DEADLINE_EXCEEDED: { number: 4, http: 408 },
  NOT_FOUND: { number: 5, http: 404 },
  PERMISSION_DENIED: { number: 7, http: 403 },
  RESOURCE_EXHAUSTED: { number: 8, http: 429 },
  UNIMPLEMENTED: { number: 12, http: 404 },
  INTERNAL: { number: 13, http: 500 },
  UNAVAILABLE: { number: 14, http: 503 },
  UNAUTHENTICATED: { number: 16, http: 401 },
} as const;

export type GrpcCode = keyof typeof CODES;

/** How a call ended. */
export interface GrpcStatus {
  readonly code: GrpcCode;
  readonly message: string;
  /** Told to the client as `RetryInfo`, which makes `RESOURCE_EXHAUSTED` worth another try in OTLP. */
  readonly retryAfterSeconds?: number;
}

export const OK: GrpcStatus = { code: "OK", message: "" };

/**
 * The code of an error of the HTTP API. What another try cannot cure, a body that is too large among
 * it, is `INVALID_ARGUMENT`: many exporters send again after `RESOURCE_EXHAUSTED`, also without
 * `RetryInfo`.
 */
const CODE_OF_HTTP: Readonly<Record<number, GrpcCode>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  413: "INVALID_ARGUMENT",
  422: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
};

/** An error of the HTTP API as the status of a call. */
export function statusOf({ status, body, headers }: FullAnswer): GrpcStatus {
  const { detail } = JSON.parse(String(body)) as ErrorBody;
  const retryAfter = headers?.["retry-after"];
  return {
    code: CODE_OF_HTTP[status] ?? "INTERNAL",
    message: detail[0]?.msg ?? "",
    ...(retryAfter !== undefined && { retryAfterSeconds: Number(retryAfter) }),
  };
}

/** The HTTP status that stands for a code in the log. */
export function loggedStatus({ code }: GrpcStatus): number {
  return CODES[code].http;
}

/** A status as the trailers of a call. */
export function trailersOf(status: GrpcStatus): Record<string, string> {
  const { code, message, retryAfterSeconds } = status;
  return {
    "grpc-status": String(CODES[code].number),
    ...(message !== "" && { "grpc-message": percentEncode(message) }),
    ...(retryAfterSeconds !== undefined && {
      "grpc-status-details-bin": retryDetails(status, retryAfterSeconds).toString("base64"),
    }),
  };
}

/** As the gRPC specification has it for `grpc-message`: printable ASCII alone, the rest as UTF-8 with percent signs. */
function percentEncode(text: string): string {
  let encoded = "";
  for (const byte of Buffer.from(text)) {
    const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== 0x25;
    encoded += isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, "0")}`;
  }
  return encoded;
}

const RETRY_INFO = "type.googleapis.com/google.rpc.RetryInfo";

/** A `google.rpc.Status` with a `RetryInfo` among its details. */
function retryDetails({ code, message }: GrpcStatus, seconds: number): Buffer {
  const duration = Buffer.from([(1 << 3) | 0, ...varint(seconds)]);
  const retryInfo = field(1, duration);
  const any = Buffer.concat([field(1, Buffer.from(RETRY_INFO)), field(2, retryInfo)]);
  const number = Buffer.from([(1 << 3) | 0, ...varint(CODES[code].number)]);
  return Buffer.concat([number, field(2, Buffer.from(message)), field(3, any)]);
}

/** A field of protobuf that holds bytes. */
function field(number: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...varint(bytes.length)]), bytes]);
}
