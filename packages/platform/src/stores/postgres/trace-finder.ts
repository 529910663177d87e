import { checkBody, isAssembledBody, readingTrace } from "../segments/segment.ts";
import type { TreeRead } from "../span-store.ts";
import { tableOfDay } from "./day.ts";
import { isMissingDay } from "./postgres-errors.ts";
import { answerSum, unpack } from "./read-segments.ts";
import { IS_SCORED } from "./score-table.ts";
import type { SqlRunner } from "./span-database.ts";

export interface TracePlace {
  readonly trace_no: number;
  readonly trace_id: string;
  readonly day: number;
  readonly segments: number;
  readonly spans: number;
  readonly is_scored: boolean;
}

/** A segment that may be the answer of its trace. */
interface AnswerRow {
  readonly header: Buffer<ArrayBuffer>;
  readonly body: Buffer<ArrayBuffer>;
  readonly answer_sum: number | null;
}

/** A trace, and the only segment that it has where that was read at once. */
interface FoundTrace extends TracePlace {
  /** Null also where there is a sum, which takes its place. */
  readonly header: AnswerRow["header"] | null;
  readonly body: AnswerRow["body"] | null;
  readonly answer_sum: number | null;
}

/** A row that may be there, with its body as {@link BODY} sends it. */
type FoundRow = Omit<FoundTrace, "trace_id" | "body"> & { readonly body: string | null };

/** PostgreSQL sends bytes as text: base64 is two thirds as long as its own hexadecimal form, and is decoded faster. */
const BODY = "encode(body, 'base64') AS body";

const PLACE = `SELECT trace_no, day, segments, spans, ${IS_SCORED} AS is_scored
  FROM agate.traces t WHERE project = $1 AND trace_id = $2 LIMIT 1`;

/**
 * Finds traces by their ids, with what they are answered from where that is a single segment. Reading both in one
 * statement from all days would open the tables of each day. So the segment is looked for in one day only: that of
 * the trace that was found last, since most reads are of traces of one day.
 */
export class TraceFinder {
  #lastDay: number | undefined;

  async find(runner: SqlRunner, project: string, traceId: string): Promise<FoundTrace | undefined> {
    const found = await this.#find(runner, project, traceId);
    if (found !== undefined) this.#lastDay = found.day;
    return found;
  }

  async #find(
    runner: SqlRunner,
    project: string,
    traceId: string,
  ): Promise<FoundTrace | undefined> {
    const ids = [project, traceId];
    if (this.#lastDay !== undefined) {
      const table = tableOfDay("segments", this.#lastDay);
      try {
        const [found] = await runner.query<FoundRow>(
          `SELECT t.*, s.body, s.answer_sum, CASE WHEN s.answer_sum IS NULL THEN s.header END AS header
           FROM (${PLACE}) AS t LEFT JOIN LATERAL (
             SELECT header, ${BODY}, answer_sum FROM ${table}
             WHERE trace_no = t.trace_no AND t.segments = 1 AND NOT t.is_scored LIMIT 1
           ) AS s ON true`,
          ids,
          `trace-in-${table}`,
        );
        return found && { ...found, trace_id: traceId, body: bytesOf(found.body) };
      } catch (error) {
        if (!isMissingDay(error)) throw error;
        // The day was dropped since.
        this.#lastDay = undefined;
      }
    }
    const [place] = await runner.query<Omit<TracePlace, "trace_id">>(PLACE, ids, "place-of-trace");
    return place && { ...place, trace_id: traceId, header: null, body: null, answer_sum: null };
  }
}

function bytesOf(base64: string | null): Buffer<ArrayBuffer> | null {
  return base64 === null ? null : Buffer.from(base64, "base64");
}

/**
 * A trace as it is stored, where that is its answer; undefined where it must be put together.
 *
 * @throws DamagedSegmentError
 */
export async function readAnswer(
  runner: SqlRunner,
  found: FoundTrace,
): Promise<TreeRead | undefined> {
  const { trace_id: traceId, header, body, answer_sum } = found;
  if (found.segments > 1 || found.is_scored) return undefined;
  if (body !== null && isAnswer(body, answer_sum, traceId)) return frameOf(body);
  const only =
    header === null || body === null
      ? await readOnlySegment(runner, found)
      : { header, body, answer_sum };
  if (only === undefined) return undefined;
  if (isAnswer(only.body, only.answer_sum, traceId)) return frameOf(only.body);
  const json = readingTrace(traceId, () => unpack(only.body));
  const seal = readingTrace(traceId, () => unpack(only.header)).toString("latin1");
  checkBody(seal, json, traceId);
  return isAssembledBody(json) ? { kind: "assembled", json: inOwnMemory(json) } : undefined;
}

/** Undefined where the trace has more than one by now, or none. */
async function readOnlySegment(
  runner: SqlRunner,
  { trace_no, day }: TracePlace,
): Promise<AnswerRow | undefined> {
  const table = tableOfDay("segments", day);
  const [only, another] = await runner.query<AnswerRow>(
    `SELECT header, body, answer_sum FROM ${table} WHERE trace_no = $1 ORDER BY segment LIMIT 2`,
    [trace_no],
    `bodies-of-${table}`,
  );
  return another === undefined ? only : undefined;
}

/** False also for a body that was changed without its sum: its header tells whether it is damaged. */
function isAnswer(body: Uint8Array, sum: number | null, traceId: string): boolean {
  return sum !== null && sum === answerSum(body, traceId);
}

function frameOf(body: Uint8Array<ArrayBuffer>): TreeRead {
  return { kind: "frame", zstd: inOwnMemory(body) };
}

/** Small buffers of the client and of zlib share memory with other data. */
export function inOwnMemory(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}
