import type { RedactionRules } from "@agate/protocol";
import type { OtlpSpan, PriceTable, SpanMapper, StoredSpan } from "@agate/spans";
import { createSpanMapper } from "@agate/spans";
import { Redactor, redactSpans, SecretTexts, type SpanRedactor } from "@agate/spans/redaction";
import { MOST_SCORES_PER_TRACE, type ScoreOutcome } from "../stores/score-store.ts";
import type { AppendOutcome, SpanAppender } from "../stores/span-store.ts";
import { BytesInFlight } from "./bytes-in-flight.ts";
import { decompress } from "./decompress.ts";
import { scoresOfEvents } from "./evaluation-events.ts";
import { handOverLogs } from "./hand-over-logs.ts";
import type { IngestOutcome, IngestRequest } from "./ingest-service.ts";
import { RETRY_AFTER_SECONDS } from "./ingest-service.ts";
import { NotKeptNotices } from "./not-kept.ts";
import { countDataPoints } from "./otlp/count-data-points.ts";
import { decodeOtlpJson } from "./otlp/decode-otlp-json.ts";
import { decodeOtlpProtobuf } from "./otlp/decode-otlp-protobuf.ts";
import type { DecodeLimits } from "./otlp/decode-outcome.ts";
import { Rejections } from "./otlp/decoded-spans.ts";
import { encodeExportResponse } from "./otlp/encode-export-response.ts";

/** How much of a request is mapped and handed to the store at a time. Most requests are one slice. */
export interface SliceLimits {
  readonly spans: number;
  /** Of records, as UTF-8. */
  readonly bytes: number;
  /** Bytes of records that the store may have in hand before decoding pauses. */
  readonly inFlight: number;
}

const SLICE_LIMITS: SliceLimits = {
  spans: 10_000,
  bytes: 16 * 1024 ** 2,
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
}): (
  request: IngestRequest,
  redaction: string | null,
  secrets?: string | null,
) => Promise<IngestOutcome> {
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
  const redactors = new RedactorsInUse((json) => new Redactor(JSON.parse(json) as RedactionRules));
  const secretTexts = new RedactorsInUse((json) => new SecretTexts(JSON.parse(json)));
  const notices = new NotKeptNotices();
  let decoding: Promise<unknown> = Promise.resolve();

  return (request, rules, secrets = null) => {
    const handedOver = decoding.then(() => handOver(request, rules, secrets));
    decoding = handedOver.catch(() => {});
    return handedOver.then((given) => (typeof given === "function" ? given() : given));
  };

  /** Decodes a request and gives what it holds to the store. @returns What waits for the store's answer. */
  async function handOver(
    request: IngestRequest,
    rules: string | null,
    secrets: string | null,
  ): Promise<(() => Promise<IngestOutcome>) | IngestOutcome> {
    const { signal, project, encoding, compression, body } = request;
    // Room for the first slice, before anything is unpacked.
    await inFlight.enter(0);
    const raw = decompress(body, compression, maxDecompressedBytes);
    if (raw.kind !== "decompressed") return raw;
    if (signal === "metrics") return countMetrics(request, raw.bytes);
    // Before anything else sees them: what is redacted is never written, indexed or told.
    const inUse = [secretTexts.of(project, secrets), redactors.of(project, rules)];
    const hiding = inUse.filter((redactor) => redactor !== null);
    if (signal === "logs") {
      const parts = { appender, inFlight, redactors: hiding, limits: decodeLimits, notices };
      return handOverLogs(raw.bytes, { project, encoding }, parts);
    }
    const given = await handOverSpans(request, raw.bytes, hiding);
    return "kind" in given ? given : () => finish(request, given);
  }

  /** Agate stores no metrics; a client that exports them beside its spans must not report errors. */
  function countMetrics(request: IngestRequest, bytes: Uint8Array): IngestOutcome {
    const { encoding } = request;
    const counted = countDataPoints(bytes, encoding, decodeLimits);
    if (counted.kind !== "counted") return counted;
    const { dataPoints: notKept } = counted;
    const rejections = new Rejections("data point");
    if (notKept > 0 && notices.isFirst(request)) rejections.add(NO_METRICS, notKept);
    const { total, sentence } = rejections;
    const body = encodeExportResponse(encoding, total, sentence, "metrics");
    return { kind: "accepted", body, notKept };
  }

  /** Slice by slice. */
  async function handOverSpans(
    { project, build, encoding }: IngestRequest,
    bytes: Uint8Array,
    hiding: readonly SpanRedactor[],
  ): Promise<HandedOver | IngestOutcome> {
    const decode = encoding === "protobuf" ? decodeOtlpProtobuf : decodeOtlpJson;
    const decoded = decode(bytes, decodeLimits);
    if (decoded.kind !== "decoded") return decoded;
    const { rejected, rejectedReason } = decoded.request;
    let { spans } = decoded.request;
    for (const redactor of hiding) spans = redactSpans(spans, redactor);
    const toStored = mapperOf(project);
    const outcomes: Promise<AppendOutcome>[] = [];
    // One object for all of them: this is done for every span.
    const sender = { build };
    const slices = slicesOf(spans, (span) => toStored(span, sender), sliceLimits);
    for (const { spans: stored, bytes: size } of slices) {
      await inFlight.enter(size);
      // Only the number is remembered: the store may hold its spans in another form until it answers.
      const outcome = appender
        .append({ project, receivedAt: Date.now() * 1000, spans: stored })
        .finally(() => inFlight.leave(size));
      // Its failure is that of the request; until then it must not count as unhandled.
      outcome.catch(() => {});
      outcomes.push(outcome);
    }
    const scores = scoresOfEvents(spans, { project, receivedAt: Date.now() * 1000 });
    const judged: Promise<ScoreOutcome> =
      scores.length === 0 ? NO_SCORES : appender.putScores({ project, scores });
    judged.catch(() => {});
    return { outcomes, judged, rejected, rejectedReason };
  }

  async function finish(
    { encoding }: IngestRequest,
    { outcomes, judged, rejected, rejectedReason }: HandedOver,
  ): Promise<IngestOutcome> {
    const full = new FullTraces();
    for (const outcome of await Promise.all(outcomes)) {
      if (outcome.kind === "unavailable") {
        return { ...outcome, retryAfterSeconds: RETRY_AFTER_SECONDS };
      }
      if (outcome.kind === "partly-committed") full.add(outcome);
    }
    const scores = await judged;
    if (scores.kind === "unavailable") {
      return { ...scores, retryAfterSeconds: RETRY_AFTER_SECONDS };
    }
    const sentences = [rejectedReason, full.sentence, rejectedScores(scores)];
    const reason = sentences.filter((text) => text !== "").join("; ");
    const body = encodeExportResponse(encoding, rejected + full.rejected, reason);
    return { kind: "accepted", body };
  }
}

const NO_METRICS =
  "Agate stores no metrics, and this is said once; OTEL_METRICS_EXPORTER=none stops sending them";
const NO_SCORES = Promise.resolve<ScoreOutcome>({ kind: "committed" });

function rejectedScores(outcome: Exclude<ScoreOutcome, { readonly kind: "unavailable" }>): string {
  if (outcome.kind === "committed") return "";
  return `${outcome.rejected.size} scores rejected: their traces have ${MOST_SCORES_PER_TRACE}, the most in a trace`;
}

interface HandedOver {
  readonly outcomes: readonly Promise<AppendOutcome>[];
  /** Of the evaluation results among the events. */
  readonly judged: Promise<ScoreOutcome>;
  readonly rejected: number;
  readonly rejectedReason: string;
}

interface Slice {
  readonly spans: readonly StoredSpan[];
  /** Of their records. */
  readonly bytes: number;
}

/**
 * Maps spans to records, a slice at a time. A record is put together from some hundred pieces, and V8 joins them when
 * its bytes are counted: until then, the garbage collector would copy the pieces of all records of the request.
 */
function* slicesOf(
  decoded: readonly OtlpSpan[],
  toStored: (span: OtlpSpan) => StoredSpan,
  limits: SliceLimits,
): Generator<Slice, void, void> {
  let spans: StoredSpan[] = [];
  let bytes = 0;
  for (const span of decoded) {
    const stored = toStored(span);
    spans.push(stored);
    bytes += Buffer.byteLength(stored.openRecord);
    if (spans.length < limits.spans && bytes < limits.bytes) continue;
    yield { spans, bytes };
    spans = [];
    bytes = 0;
  }
  if (spans.length > 0) yield { spans, bytes };
}

/** The spans of a request that were rejected since their traces are full. */
class FullTraces {
  /** Of each trace the ids: a span may come in several slices of a request. */
  readonly #spans = new Map<string, Set<string>>();
  #limit = 0;

  add({ rejected, maxSpansPerTrace }: AppendOutcome & { readonly kind: "partly-committed" }): void {
    this.#limit = maxSpansPerTrace;
    for (const { traceId, spanId } of rejected) {
      const known = this.#spans.get(traceId);
      if (known === undefined) this.#spans.set(traceId, new Set([spanId]));
      else known.add(spanId);
    }
  }

  /** How many spans. */
  get rejected(): number {
    let count = 0;
    for (const { size } of this.#spans.values()) count += size;
    return count;
  }

  /** In the form of the decoder's own sentence; empty when no span was rejected. */
  get sentence(): string {
    const [first] = this.#spans.keys();
    if (first === undefined) return "";
    const others = this.#spans.size - 1;
    const which = others === 0 ? "" : ` and ${others} ${others === 1 ? "other" : "others"}`;
    const full = `trace ${first}${which} ${others === 0 ? "holds" : "hold"} ${this.#limit} spans`;
    const count = `${this.rejected} ${this.rejected === 1 ? "span" : "spans"}`;
    return `${count} rejected: ${full}, the most in a trace (--max-spans-per-trace)`;
  }
}

/** What hides content of projects, ready to be applied. Made anew when a request brings another than the last. */
class RedactorsInUse {
  readonly #make: (json: string) => SpanRedactor;
  readonly #known = new Map<string, { readonly json: string; readonly redactor: SpanRedactor }>();

  constructor(make: (json: string) => SpanRedactor) {
    this.#make = make;
  }

  of(project: string, json: string | null): SpanRedactor | null {
    if (json === null) {
      this.#known.delete(project);
      return null;
    }
    const known = this.#known.get(project);
    if (known?.json === json) return known.redactor;
    const redactor = this.#make(json);
    this.#known.set(project, { json, redactor });
    return redactor;
  }
}
