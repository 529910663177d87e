import type { MessagePort } from "node:worker_threads";
import type { AppenderHandle } from "../stores/span-store.ts";
import type { IngestOutcome, IngestRequest } from "./ingest-service.ts";
import type { DecodeLimits } from "./otlp/decode-limits.ts";

/** What the ingest thread offers to the thread that serves HTTP. */
export type IngestApi = {
  /** @param redaction The rules of the request's project, as JSON; null where it has none. */
  ingest(request: IngestRequest, redaction: string | null): Promise<IngestOutcome>;
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
