import type { OversizedOutcome } from "./otlp/decode-outcome.ts";

/** An OTLP/HTTP trace request as it came over the wire. */
export interface IngestRequest {
  readonly project: string;
  readonly encoding: "protobuf" | "json";
  readonly compression: "none" | "gzip";
  /** Handed over: the caller must not use the bytes again. */
  readonly body: Uint8Array<ArrayBuffer>;
}

export type IngestOutcome =
  /** On disk. `body` is the ExportTraceServiceResponse in the request's encoding. */
  | { readonly kind: "accepted"; readonly body: Uint8Array }
  | { readonly kind: "undecodable"; readonly reason: string }
  /** The decompressed body is over `limit` bytes. */
  | { readonly kind: "too-large"; readonly limit: number }
  | OversizedOutcome
  /** Too much is waiting already; nothing was kept. */
  | { readonly kind: "busy"; readonly retryAfterSeconds: number }
  /** The store cannot write now; nothing was kept. */
  | {
      readonly kind: "unavailable";
      readonly reason: string;
      readonly retryAfterSeconds: number;
    };

/** Takes OTLP requests, keeps their spans, and says so only when they are on disk. */
export interface IngestService {
  /** Begins to take a request, whose body is still to arrive. */
  begin(): Intake;
  /** Finishes what it has taken, then stops its thread. Later requests are `unavailable`. */
  close(): Promise<void>;
}

/** One request on its way in. */
export interface Intake {
  /** Told how much of the body has arrived. @returns False when too much waits: it is refused. */
  arrived(bytes: number): boolean;
  /** With the whole body. */
  ingest(request: IngestRequest): Promise<IngestOutcome>;
  /** When the request has ended, answered or not. */
  end(): void;
}

/** Short: exporters give up on a batch after ten seconds, unless told otherwise. */
export const RETRY_AFTER_SECONDS = 1;
