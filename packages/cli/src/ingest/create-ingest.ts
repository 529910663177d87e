import type { PriceTable, StoredSpan } from "@agate/spans";
import { createSpanMapper } from "@agate/spans";
import type { SpanAppender } from "../stores/span-store.ts";
import { decompress } from "./decompress.ts";
import type { IngestOutcome, IngestRequest } from "./ingest-service.ts";
import { decodeOtlpJson } from "./otlp/decode-otlp-json.ts";
import { decodeOtlpProtobuf } from "./otlp/decode-otlp-protobuf.ts";
import { encodeExportResponse } from "./otlp/encode-export-response.ts";

type SpanMapper = ReturnType<typeof createSpanMapper>;

/** Short: exporters give up on a batch after ten seconds, unless told otherwise. */
const RETRY_AFTER_SECONDS = 1;

/** Decodes, maps and appends OTLP requests in the calling thread. */
export function createIngest(options: {
  readonly appender: SpanAppender;
  readonly prices: PriceTable;
  readonly maxDecompressedBytes: number;
}): (request: IngestRequest) => Promise<IngestOutcome> {
  const { appender, prices, maxDecompressedBytes } = options;
  const mappers = new Map<string, SpanMapper>();
  const mapperOf = (projectId: string): SpanMapper => {
    const known = mappers.get(projectId);
    if (known !== undefined) return known;
    const mapper = createSpanMapper({ prices, projectId });
    mappers.set(projectId, mapper);
    return mapper;
  };

  return async ({ project, encoding, compression, body }) => {
    const raw = decompress(body, compression, maxDecompressedBytes);
    if (raw.kind !== "decompressed") return raw;
    const decoded =
      encoding === "protobuf" ? decodeOtlpProtobuf(raw.bytes) : decodeOtlpJson(raw.bytes);
    if (decoded.kind === "undecodable") return decoded;
    const { spans, rejected, rejectedReason } = decoded.request;
    const stored: StoredSpan[] = spans.map(mapperOf(project));
    const outcome = await appender.append({
      project,
      receivedAt: Date.now() * 1000,
      spans: stored,
    });
    if (outcome.kind === "unavailable") {
      return { ...outcome, retryAfterSeconds: RETRY_AFTER_SECONDS };
    }
    return { kind: "accepted", body: encodeExportResponse(encoding, rejected, rejectedReason) };
  };
}
