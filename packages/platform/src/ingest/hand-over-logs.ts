import { eventContent, type OtlpEvent } from "@agate/spans";
import { redactEvent, type SpanRedactor } from "@agate/spans/redaction";
import { MOST_CONTENT_BYTES, MOST_LOGGED_CHARACTERS } from "../stores/logged-content.ts";
import { MOST_SCORES_PER_TRACE, type StoredScore } from "../stores/score-store.ts";
import type { SpanAppender } from "../stores/span-store.ts";
import { toLoggedRow } from "../stores/to-logged-row.ts";
import type { BytesInFlight } from "./bytes-in-flight.ts";
import { EVALUATION_EVENT, type ScorePlace, scoreOfEvent } from "./evaluation-events.ts";
import type { IngestOutcome, IngestRequest } from "./ingest-service.ts";
import { RETRY_AFTER_SECONDS } from "./ingest-service.ts";
import type { NotKeptNotices } from "./not-kept.ts";
import { decodeLogsJson } from "./otlp/decode-logs-json.ts";
import { decodeLogsProtobuf } from "./otlp/decode-logs-protobuf.ts";
import type { DecodeLimits } from "./otlp/decode-outcome.ts";
import type { OtlpLogRecord } from "./otlp/decoded-logs.ts";
import type { Rejections } from "./otlp/decoded-spans.ts";
import { encodeExportResponse } from "./otlp/encode-export-response.ts";

const OTHER_RECORDS = `only log records of spans with the event name ${EVALUATION_EVENT} or one of a GenAI message are stored, and this is said once`;
const NO_JUDGEMENT =
  "an evaluation result needs gen_ai.evaluation.name, and gen_ai.evaluation.score.value, gen_ai.evaluation.score.label or error.type";
const NO_ROOM = {
  "trace-full": `the trace has ${MOST_SCORES_PER_TRACE} scores and logged contents, the most in a trace`,
  "span-full": `a span has at most ${MOST_CONTENT_BYTES} bytes of logged messages`,
} as const;
const TOO_LONG = `the messages of a span in one request have more than ${MOST_LOGGED_CHARACTERS} characters`;

interface LogParts {
  readonly appender: Pick<SpanAppender, "putScores">;
  readonly inFlight: BytesInFlight;
  readonly redactors: readonly SpanRedactor[];
  readonly limits: DecodeLimits;
  readonly notices: NotKeptNotices;
}

/**
 * Decodes log records and gives the scores and the messages among them to the store.
 *
 * @returns What waits for the store's answer.
 */
export async function handOverLogs(
  bytes: Uint8Array,
  { project, encoding }: Pick<IngestRequest, "project" | "encoding">,
  { appender, inFlight, redactors, limits, notices }: LogParts,
): Promise<(() => Promise<IngestOutcome>) | IngestOutcome> {
  const decode = encoding === "protobuf" ? decodeLogsProtobuf : decodeLogsJson;
  const decoded = decode(bytes, limits);
  if (decoded.kind !== "decoded") return decoded;
  const { results, messages, rejections, others } = decoded;
  if (others > 0 && notices.isFirst({ project, signal: "logs" })) {
    rejections.add(OTHER_RECORDS, others);
  }
  const place = { project, receivedAt: Date.now() * 1000 };
  const redact = (event: OtlpEvent) => redactors.reduce(redactEvent, event);
  const judgements = results.flatMap((record) => {
    const score = scoreOfEvent(record, redact(record.event), place);
    if (score === null) rejections.add(NO_JUDGEMENT);
    return score ?? [];
  });
  const spans = Map.groupBy(messages, ({ traceId, spanId }) => `${traceId} ${spanId}`);
  /** How many log records made a row. */
  const recordsOf = new Map<string, number>();
  const contents = [...spans.values()].flatMap((records) => {
    const row = contentRow(records, redact, place);
    if (row === undefined) rejections.add(TOO_LONG, records.length);
    else recordsOf.set(row.id, records.length);
    return row ?? [];
  });
  const scores = [...judgements, ...contents];
  if (scores.length === 0) return accepted(encoding, rejections, others);
  const characters = scores.reduce((sum, { record }) => sum + record.length, 0);
  await inFlight.enter(characters);
  const judged = appender.putScores({ project, scores }).finally(() => inFlight.leave(characters));
  // Its failure is that of the request; until then it must not count as unhandled.
  judged.catch(() => {});
  return async () => {
    const outcome = await judged;
    if (outcome.kind === "unavailable") {
      return { ...outcome, retryAfterSeconds: RETRY_AFTER_SECONDS };
    }
    if (outcome.kind === "partly-committed") {
      for (const { id } of scores) {
        const reason = outcome.rejected.get(id);
        if (reason !== undefined) rejections.add(NO_ROOM[reason], recordsOf.get(id));
      }
    }
    return accepted(encoding, rejections, others);
  };
}

/** The messages of one span, in the order in which they were logged. */
function contentRow(
  records: readonly OtlpLogRecord[],
  redact: (event: OtlpEvent) => OtlpEvent,
  place: ScorePlace,
): StoredScore | undefined {
  const [first] = records;
  if (first === undefined) return undefined;
  const { traceId, spanId, event } = first;
  const loggedAt = event.time.us === 0 ? place.receivedAt : event.time.us;
  const content = eventContent(records.map((record) => redact(record.event)));
  return toLoggedRow(content, { ...place, traceId, spanId, loggedAt });
}

function accepted(
  encoding: IngestRequest["encoding"],
  rejections: Rejections,
  notKept: number,
): IngestOutcome {
  const body = encodeExportResponse(encoding, rejections.total, rejections.sentence, "logs");
  return { kind: "accepted", body, notKept };
}
