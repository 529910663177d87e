import type { OtlpSpan, PriceTable, StoredSpan } from "@agate/spans";
import { createSpanMapper } from "@agate/spans";
import type { AppendOutcome, SpanAppender } from "../stores/span-store.ts";
import { BytesInFlight } from "./bytes-in-flight.ts";
import { decompress } from "./decompress.ts";
import { FullTraces } from "./full-traces.ts";
import type { IngestOutcome, IngestRequest } from "./ingest-service.ts";
import { RETRY_AFTER_SECONDS } from "./ingest-service.ts";
import type { DecodeLimits } from "./otlp/decode-limits.ts";
import { decodeOtlpJson } from "./otlp/decode-otlp-json.ts";
import { decodeOtlpProtobuf } from "./otlp/decode-otlp-protobuf.ts";
import { encodeExportResponse } from "./otlp/encode-export-response.ts";
import { ProjectRedactions } from "./redaction/project-redactions.ts";

type SpanMapper = ReturnType<typeof createSpanMapper>;

/** How much of a request is mapped and handed to the store at a time. Most requests are one slice. */
export interface SliceLimits {
  readonly spans: number;
  /** Characters of records. */
  readonly characters: number;
  /** Characters of records that the store may have in hand before decoding pauses. */
  readonly inFlight: number;
}

const SLICE_LIMITS: SliceLimits = {
  spans: 10_000,
  characters: 16 * 1024 ** 2,
  inFlight: 64 * 1024 ** 2,
};

/**
 * Decodes, maps and appends OTLP requests in the calling thread. One request at a time is decoded,
 * and none while the store has much in hand: memory holds one decoded request and what is in flight,
 * however many wait.
 */
export function createIngest(options: {
  readonly appender: SpanAppender;
  readonly prices: PriceTable;
  readonly maxDecompressedBytes: number;
  readonly decodeLimits: DecodeLimits;
  /** Tests use small ones. */
  readonly sliceLimits?: SliceLimits;
}): (request: IngestRequest, redaction: string | null) => Promise<IngestOutcome> {
  const { appender, prices, maxDecompressedBytes, decodeLimits } = options;
  const { sliceLimits = SLICE_LIMITS } = options;
  const inFlight = new BytesInFlight(sliceLimits.inFlight);
  const mappers = new Map<string, SpanMapper>();
  const mapperOf = (projectId: string): SpanMapper => {
    const known = mappers.get(projectId);
    if (known !== undefined) return known;
    const mapper = createSpanMapper({ prices, projectId });
    mappers.set(projectId, mapper);
    return mapper;
  };
  const redactions = new ProjectRedactions();
  let decoding: Promise<unknown> = Promise.resolve();

  return (request, rules) => {
    const handedOver = decoding.then(() => handOver(request, rules));
    decoding = handedOver.catch(() => {});
    return handedOver.then((given) => ("kind" in given ? given : finish(request, given)));
  };

  /** Decodes a request and gives its spans to the store, slice by slice. */
  async function handOver(
    request: IngestRequest,
    rules: string | null,
  ): Promise<HandedOver | IngestOutcome> {
    const { project, encoding, compression, body } = request;
    // Room for the first slice, before anything is unpacked.
    await inFlight.enter(0);
    const raw = decompress(body, compression, maxDecompressedBytes);
    if (raw.kind !== "decompressed") return raw;
    const decode = encoding === "protobuf" ? decodeOtlpProtobuf : decodeOtlpJson;
    const redaction = redactions.of(project, rules);
    const decoded = decode(raw.bytes, decodeLimits, redaction !== null);
    if (decoded.kind !== "decoded") return decoded;
    const { rejected, rejectedReason } = decoded.request;
    // Before anything else sees them: what is redacted is never written, indexed or told.
    const spans = redaction?.apply(decoded.request, raw.bytes) ?? decoded.request.spans;
    const outcomes: Promise<AppendOutcome>[] = [];
    for (const slice of slicesOf(spans, mapperOf(project), sliceLimits)) {
      await inFlight.enter(slice.characters);
      const outcome = appender
        .append({ project, receivedAt: Date.now() * 1000, spans: slice.spans })
        .finally(() => inFlight.leave(slice.characters));
      // Its failure is that of the request; until then it must not count as unhandled.
      outcome.catch(() => {});
      outcomes.push(outcome);
    }
    return { outcomes, rejected, rejectedReason };
  }

  async function finish(
    { encoding }: IngestRequest,
    { outcomes, rejected, rejectedReason }: HandedOver,
  ): Promise<IngestOutcome> {
    const full = new FullTraces();
    for (const outcome of await Promise.all(outcomes)) {
      if (outcome.kind === "unavailable") {
        return { ...outcome, retryAfterSeconds: RETRY_AFTER_SECONDS };
      }
      if (outcome.kind === "partly-committed") full.add(outcome);
    }
    const reason = [rejectedReason, full.sentence].filter((text) => text !== "").join("; ");
    const body = encodeExportResponse(encoding, rejected + full.rejected, reason);
    return { kind: "accepted", body };
  }
}

interface HandedOver {
  readonly outcomes: readonly Promise<AppendOutcome>[];
  readonly rejected: number;
  readonly rejectedReason: string;
}

interface Slice {
  readonly spans: readonly StoredSpan[];
  readonly characters: number;
}

/** Maps spans to records, a slice at a time. */
function* slicesOf(
  decoded: readonly OtlpSpan[],
  toStored: SpanMapper,
  limits: SliceLimits,
): Generator<Slice, void, void> {
  let spans: StoredSpan[] = [];
  let characters = 0;
  for (const span of decoded) {
    const stored = toStored(span);
    spans.push(stored);
    characters += stored.openRecord.length;
    if (spans.length < limits.spans && characters < limits.characters) continue;
    yield { spans, characters };
    spans = [];
    characters = 0;
  }
  if (spans.length > 0) yield { spans, characters };
}
