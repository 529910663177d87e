import type { MessagePort } from "node:worker_threads";
import type { AppenderHandle } from "../stores/span-store.ts";
import type { Compression } from "./decompress.ts";
import type { DecodeLimits, OversizedOutcome } from "./otlp/decode-outcome.ts";

/** An OTLP/HTTP request as it came over the wire. */
export interface IngestRequest {
  readonly signal: "traces" | "logs" | "metrics";
  readonly project: string;
  /** The number of the build that sends them, where the platform runs it. */
  readonly build?: number | undefined;
  readonly encoding: "protobuf" | "json";
  readonly compression: Compression;
  /** Handed over: the caller must not use the bytes again. */
  readonly body: Uint8Array<ArrayBuffer>;
}

export type IngestOutcome =
  /**
   * On disk, but for `notKept` log records or data points of a kind that Agate does not store. `body`
   * is the response message in the request's encoding.
   */
  | { readonly kind: "accepted"; readonly body: Uint8Array; readonly notKept?: number }
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

/** Stores the spans of OTLP requests, and acknowledges a request only when they are on disk. */
export interface IngestService {
  /** Begins a request whose body has yet to arrive. */
  begin(): Intake;
  /** Finishes running requests, then stops the thread. Later requests are `unavailable`. */
  close(): Promise<void>;
}

/** One request while it is received. */
export interface Intake {
  /** Reports how much of the body has arrived. @returns false if too much is waiting: the request is refused. */
  arrived(bytes: number): boolean;
  /** With the whole body. */
  ingest(request: IngestRequest): Promise<IngestOutcome>;
  /** When the request has ended, answered or not. */
  end(): void;
}

/** Short: exporters give up on a batch after ten seconds, unless told otherwise. */
export const RETRY_AFTER_SECONDS = 1;

/** What the ingest thread offers to the thread that serves HTTP. */
export type IngestApi = {
  /**
   * @param redaction The rules of the request's project, as JSON; null where it has none.
   * @param secrets The secrets of its running builds, a list of {name, value} as JSON; null for none.
   */
  ingest(
    request: IngestRequest,
    redaction: string | null,
    secrets: string | null,
  ): Promise<IngestOutcome>;
  close(): Promise<void>;
};

export interface IngestData {
  readonly appender: AppenderHandle;
  /** A JSON file whose prices come before the shipped ones. */
  readonly pricesFile: string | null;
  readonly maxDecompressedBytes: number;
  readonly decodeLimits: DecodeLimits;
  /** Where a `StoreTrouble` of the appender is reported. */
  readonly troubles: MessagePort;
}
