import type { AppenderHandle } from "../stores/appender-handle.ts";
import type { IngestOutcome, IngestRequest } from "./ingest-service.ts";
import type { PriceTable } from "./pricing/price-table.ts";

/** What the ingest thread offers to the thread that serves HTTP. */
export type IngestApi = {
  ingest(request: IngestRequest): Promise<IngestOutcome>;
  close(): Promise<void>;
};

export interface IngestData {
  readonly appender: AppenderHandle;
  readonly prices: PriceTable;
  readonly maxDecompressedBytes: number;
}
