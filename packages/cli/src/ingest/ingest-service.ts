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
  ingest(request: IngestRequest): Promise<IngestOutcome>;
  /** Finishes what it has taken, then stops its thread. Later requests are `unavailable`. */
  close(): Promise<void>;
}
