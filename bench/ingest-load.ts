import { grpcLoad, grpcMessage } from "./grpc-load.ts";
import type { LoadResult } from "./http-load.ts";
import { httpLoad, postRequest } from "./http-load.ts";
import type { Load } from "./loads/load.ts";

export interface IngestResult extends LoadResult {
  readonly spans: number;
  readonly traceIds: string[];
  /** Of the bodies. */
  readonly bytes: number;
}

/** Bodies that are made before the clock runs; a chunk at a time, to bound memory. */
const BYTES_AT_ONCE = 128 * 1024 ** 2;

/** How batches are sent. */
interface Sending {
  toRequest(body: Buffer): Buffer;
  send(next: () => Buffer | undefined): Promise<LoadResult>;
}

/**
 * Sends spans in batches over 8 connections, each answer awaited: what comes back is on disk. A batch that an
 * overloaded server refuses is sent again.
 */
export function ingestSpans(
  port: number,
  spans: number,
  load: Load,
  headers: Readonly<Record<string, string>> = {},
): Promise<IngestResult> {
  return sendBatches(spans, load, {
    toRequest: (body) => postRequest("/v1/traces", "application/x-protobuf", body, headers),
    send: (next) => httpLoad({ port, connections: 8, next, retries: true }),
  });
}

/** The same over gRPC: 2 connections with 4 calls at a time each. */
export function ingestSpansOverGrpc(
  port: number,
  spans: number,
  load: Load,
): Promise<IngestResult> {
  return sendBatches(spans, load, {
    toRequest: grpcMessage,
    send: (next) => grpcLoad({ port, connections: 2, next }),
  });
}

async function sendBatches(
  spans: number,
  load: Load,
  { toRequest, send }: Sending,
): Promise<IngestResult> {
  const traceIds: string[] = [];
  let [seconds, answers, bytes] = [0, 0, 0];
  for (let left = Math.ceil(spans / load.spansPerBatch); left > 0; ) {
    const requests: Buffer[] = [];
    for (let size = 0; left > 0 && size < BYTES_AT_ONCE; left--) {
      const { body, traceIds: made } = load.batch();
      traceIds.push(...made);
      size += body.length;
      bytes += body.length;
      requests.push(toRequest(body));
    }
    const result = await send(() => requests.pop());
    seconds += result.seconds;
    answers += result.answers;
  }
  const sent = answers * load.spansPerBatch;
  return { answers, seconds, perSecond: sent / seconds, spans: sent, traceIds, bytes };
}
