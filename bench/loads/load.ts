import { randomFillSync } from "node:crypto";
import { createProse, randomNumbers } from "./prose.ts";
import { type Blank, ProtobufWriter } from "./protobuf-writer.ts";
import { type LoadName, planTrace, type TracePlan } from "./trace-plans.ts";

// OTLP protobuf written by hand: the load must cost the machine as little as possible, so a batch is
// encoded once, and every copy gets its own ids, times, users, sessions and texts.

export const USERS = 10_000;
const SESSIONS = 100_000;
const TRACES_PER_BATCH = 25;

/** An ExportTraceServiceRequest. */
export interface LoadBatch {
  readonly body: Buffer;
  readonly traceIds: readonly string[];
  /** The first span below the top of the first trace. */
  readonly spanId: string;
  /** Words that follow each other in one of its texts, and hardly anywhere else. */
  readonly phrase: string;
}

export interface Load {
  readonly name: LoadName;
  readonly spansPerTrace: number;
  readonly spansPerBatch: number;
  /**
   * A batch of whole traces with ids that were never used before. Traces start at `from`, in
   * microseconds since 1970, each `apart` after the one before.
   */
  batch(from?: number, apart?: number): LoadBatch;
}

export interface LoadOptions {
  /** What the n-th text of a batch ends with. */
  readonly ending?: (n: number) => string;
  /** How many spans of each trace are sent, from its top on; all of them unless said. */
  readonly spansPerTrace?: number;
}

/**
 * Batches of spans as an instrumented LLM application sends them. Texts and times are the same in every
 * run, ids are not.
 *
 * @example
 * const load = createLoad("mixed");
 * await post("/v1/traces", load.batch().body);
 */
export function createLoad(name: LoadName, options: LoadOptions = {}): Load {
  const { ending = () => "", spansPerTrace: most = Number.POSITIVE_INFINITY } = options;
  const plans = Array.from({ length: TRACES_PER_BATCH }, (_, n) => planTrace(name, n, ending)).map(
    (plan) => ({ ...plan, spans: plan.spans.slice(0, most) }),
  );
  const { bytes, traces } = encode(plans);
  const prose = createProse();
  const random = randomNumbers(2);
  const below = (limit: number) => Math.floor(random() * limit);
  const spansPerTrace = plans[0]?.spans.length as number;

  return {
    name,
    spansPerTrace,
    spansPerBatch: spansPerTrace * TRACES_PER_BATCH,
    batch(from = Date.now() * 1000, apart = 0) {
      const body = Buffer.from(bytes);
      const spanIds: string[] = [];
      const traceIds = traces.map(({ plan, id, ids, starts, ends }, t) => {
        for (const text of plan.texts) {
          // Of a span that is not sent.
          if (text.places.length === 0) continue;
          prose.fill(body, text.places[0] as number, text.bytes);
          repeat(body, text);
        }
        writeDigits(body, plan.user, below(USERS));
        writeDigits(body, plan.session, below(SESSIONS));
        const start = from + t * apart;
        // Most calls take some seconds, some a minute: a logarithmic normal distribution.
        const micros = 2_000_000 * Math.exp(normal(random));
        // The top takes the whole time, the others follow each other in it.
        for (const [s, { places }] of starts.entries()) {
          writeTime(body, places, start + (s === 0 ? 0 : (micros * (s - 1)) / starts.length));
        }
        for (const [s, { places }] of ends.entries()) {
          writeTime(body, places, start + (s === 0 ? micros : (micros * s) / ends.length));
        }
        spanIds.push(...ids.map((each) => fillId(body, each)));
        return fillId(body, id);
      });
      const phrase = phraseIn(body, plans[0]?.texts[0] as Blank);
      return { body, traceIds, spanId: spanIds[1] as string, phrase };
    },
  };
}

/** Where a trace lies in a batch. */
interface EncodedTrace {
  readonly plan: TracePlan;
  readonly id: Blank;
  readonly ids: readonly Blank[];
  readonly starts: readonly Blank[];
  readonly ends: readonly Blank[];
}

function encode(plans: readonly TracePlan[]): { bytes: Buffer; traces: readonly EncodedTrace[] } {
  const blanks = (plan: TracePlan): Blank[] => plan.spans.map(() => ({ bytes: 8, places: [] }));
  const traces = plans.map((plan) => ({
    plan,
    id: { bytes: 16, places: [] },
    ids: blanks(plan),
    starts: blanks(plan),
    ends: blanks(plan),
  }));
  const writer = new ProtobufWriter();
  writer.message(1, () => {
    writer.message(1, () => {
      writeAttribute(writer, 1, "service.name", ["bench"]);
      writeAttribute(writer, 1, "telemetry.sdk.language", ["nodejs"]);
    });
    writer.message(2, () => {
      writer.message(1, () => writer.text(1, "bench-instrumentation"));
      for (const { plan, id, ids, starts, ends } of traces) {
        for (const [s, { name, parent, attributes, isFailed = false }] of plan.spans.entries()) {
          writer.message(2, () => {
            writer.text(1, id);
            writer.text(2, ids[s] as Blank);
            if (parent !== null) writer.text(4, ids[parent] as Blank);
            writer.text(5, name);
            writer.varint(6, 1);
            writer.fixed64(7, (starts[s] as Blank).places);
            writer.fixed64(8, (ends[s] as Blank).places);
            for (const [key, value] of attributes) writeAttribute(writer, 9, key, value);
            writer.message(15, () => writer.varint(3, isFailed ? 2 : 1));
          });
        }
      }
    });
  });
  return { bytes: writer.finish(), traces };
}

function writeAttribute(
  writer: ProtobufWriter,
  field: number,
  key: string,
  value: number | readonly (string | Blank)[],
): void {
  writer.message(field, () => {
    writer.text(1, key);
    writer.message(2, () => {
      if (typeof value !== "number") writer.text(1, ...value);
      else if (Number.isInteger(value)) writer.varint(3, value);
      else writer.double(4, value);
    });
  });
}

/** Copies what is at the first place of a blank to the others. */
function repeat(body: Buffer, { bytes, places }: Blank): void {
  const [first, ...others] = places as [number, ...number[]];
  for (const place of others) body.copy(body, place, first, first + bytes);
}

function fillId(body: Buffer, id: Blank): string {
  const first = id.places[0] as number;
  randomFillSync(body, first, id.bytes);
  repeat(body, id);
  return body.toString("hex", first, first + id.bytes);
}

function writeDigits(body: Buffer, { bytes, places }: Blank, value: number): void {
  for (const at of places) body.write(String(value).padStart(bytes, "0"), at, "latin1");
}

function writeTime(body: Buffer, [at]: readonly number[], micros: number): void {
  body.writeBigUInt64LE(BigInt(Math.round(micros)) * 1_000n, at);
}

/** Not the first word, which may be cut. */
function phraseIn(body: Buffer, { bytes, places }: Blank): string {
  const at = places[0] as number;
  const words = body
    .toString("latin1", at, at + bytes)
    .trimStart()
    .split(" ");
  return words.slice(1, 9).join(" ");
}

/** Box and Muller's. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
