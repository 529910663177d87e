import type { LoadResult } from "./http-load.ts";
import { httpLoad, postRequest } from "./http-load.ts";
import { createOtlpBatch, type OtlpBatch } from "./otlp-batch.ts";

export interface IngestResult extends LoadResult {
  readonly spans: number;
  readonly traceIds: string[];
}

/** Bodies that are made before the clock runs; a chunk at a time, to bound memory. */
const BATCHES_AT_ONCE = 200;

/**
 * Sends spans in batches of 512 over 8 connections, each answer awaited: what comes back is on disk.
 *
 * @param textBytes See createOtlpBatch.
 */
export async function ingestSpans(
  port: number,
  spans: number,
  textBytes: number,
): Promise<IngestResult> {
  return sendBatches(port, spans, createOtlpBatch(512, textBytes));
}

/** Sends copies of a batch in the same way. */
export async function sendBatches(
  port: number,
  spans: number,
  batch: OtlpBatch,
  headers: Readonly<Record<string, string>> = {},
): Promise<IngestResult> {
  const traceIds: string[] = [];
  let seconds = 0;
  let answers = 0;
  for (let left = Math.ceil(spans / batch.spans); left > 0; left -= BATCHES_AT_ONCE) {
    const requests = Array.from({ length: Math.min(left, BATCHES_AT_ONCE) }, () => {
      const { body, traceIds: made } = batch.fresh();
      traceIds.push(...made);
      return postRequest("/v1/traces", "application/x-protobuf", body, headers);
    });
    const result = await httpLoad({ port, connections: 8, next: () => requests.pop() });
    seconds += result.seconds;
    answers += result.answers;
  }
  const sent = answers * batch.spans;
  return { answers, seconds, perSecond: sent / seconds, spans: sent, traceIds };
}
