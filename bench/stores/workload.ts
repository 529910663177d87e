import { randomFillSync, randomInt } from "node:crypto";
import type { Blank } from "../protobuf-writer.ts";
import { createBatchTemplate, SPANS_PER_BATCH } from "./batch-template.ts";
import { createProse, randomNumbers } from "./prose.ts";

// One workload for every store: a day of an LLM application, in batches of 512 spans. It is encoded
// once; every copy gets its own ids, times, users, sessions and texts, which costs the machine little.

const DAY_MICROS = 24 * 3_600_000_000;

export const USERS = 10_000;
const SESSIONS = 100_000;

export interface WorkloadBatch {
  readonly body: Buffer;
  readonly spans: number;
  readonly traceIds: readonly string[];
  /** The first span below the top of the first trace. */
  readonly spanId: string;
  /** Words that follow each other in one of its texts, and hardly anywhere else. */
  readonly phrase: string;
}

export interface Workload {
  /** Microseconds since 1970; the traces start from a day before this up to it. */
  readonly until: number;
  readonly batches: number;
  /** A batch with ids that were never used before; the n-th starts at its place in the day. */
  batch(n: number): WorkloadBatch;
}

/** A day of at least this many spans, which ends now. */
export function createWorkload(spans: number): Workload {
  const until = Date.now() * 1000;
  const batches = Math.ceil(spans / SPANS_PER_BATCH);
  const template = createBatchTemplate();
  const prose = createProse();
  const random = randomNumbers(2);
  return {
    until,
    batches,
    batch(n) {
      const body = Buffer.from(template.bytes);
      for (const { places, bytes } of template.texts) {
        for (const at of places) prose.fill(body, at, bytes);
      }
      const from = until - DAY_MICROS + (DAY_MICROS * n) / batches;
      const apart = DAY_MICROS / batches / template.traces.length;
      const traceIds = template.traces.map((trace, t) => {
        writeDigits(body, trace.user, randomInt(USERS));
        writeDigits(body, trace.session, randomInt(SESSIONS));
        // Most calls take some seconds, some a minute: a logarithmic normal distribution.
        const micros = 2_000_000 * Math.exp(normal(random));
        for (const { at, part } of trace.times) {
          const time = from + t * apart + micros * part;
          body.writeBigUInt64LE(BigInt(Math.round(time)) * 1_000n, at);
        }
        return fillId(body, trace.id);
      });
      const spanIds = template.spanIds.map((blank) => fillId(body, blank));
      return {
        body,
        spans: SPANS_PER_BATCH,
        traceIds,
        spanId: spanIds[1] as string,
        phrase: phraseIn(body, template.texts[0] as Blank),
      };
    },
  };
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

function fillId(body: Buffer, { bytes, places }: Blank): string {
  const [first, ...others] = places as [number, ...number[]];
  randomFillSync(body, first, bytes);
  for (const place of others) body.copy(body, place, first, first + bytes);
  return body.toString("hex", first, first + bytes);
}

function writeDigits(body: Buffer, { bytes, places }: Blank, value: number): void {
  for (const at of places) body.write(String(value).padStart(bytes, "0"), at, "latin1");
}

/** Box and Muller's. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
