import type { IncomingMessage } from "node:http";

export type BodyOutcome =
  /** In memory of its own, so that it can be moved to another thread. */
  | { readonly kind: "body"; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "too-large" }
  /** The client went away before it had sent everything. */
  | { readonly kind: "broken-off" };

/** Told how much has arrived; false ends the reading, with `no-room`. */
type Meter = (bytes: number) => boolean;

type MeteredBody = BodyOutcome | { readonly kind: "no-room" };

/**
 * Reads a request's body, up to a limit. Straight from Node's request where there is one: at ingest
 * rates the web stream around it would cost more than the copy.
 */
export function readBody(
  request: Request,
  incoming: IncomingMessage | undefined,
  limit: number,
): Promise<BodyOutcome>;
export function readBody(
  request: Request,
  incoming: IncomingMessage | undefined,
  limit: number,
  meter: Meter,
): Promise<MeteredBody>;
export function readBody(
  request: Request,
  incoming: IncomingMessage | undefined,
  limit: number,
  meter: Meter = () => true,
): Promise<MeteredBody> {
  // Turned away before it is sent, where the client says how much it would be.
  if (Number(request.headers.get("content-length") ?? 0) > limit) {
    return Promise.resolve({ kind: "too-large" });
  }
  return incoming === undefined
    ? readStream(request.body, limit, meter)
    : readIncoming(incoming, limit, meter);
}

function readIncoming(
  incoming: IncomingMessage,
  limit: number,
  meter: Meter,
): Promise<MeteredBody> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      if (length > limit) finish({ kind: "too-large" });
      else if (!meter(length)) finish({ kind: "no-room" });
      else chunks.push(chunk);
    };
    const onEnd = () => finish({ kind: "body", bytes: concatenate(chunks, length) });
    const onBroken = () => finish({ kind: "broken-off" });
    const finish = (outcome: MeteredBody) => {
      incoming.off("data", onData);
      incoming.off("end", onEnd);
      incoming.off("close", onBroken);
      resolve(outcome);
    };
    // An error is always followed by `close`; without a listener it would be thrown.
    incoming.on("error", () => {});
    incoming.on("data", onData);
    incoming.on("end", onEnd);
    incoming.on("close", onBroken);
    if (incoming.destroyed) onBroken();
  });
}

async function readStream(
  stream: ReadableStream<Uint8Array> | null,
  limit: number,
  meter: Meter,
): Promise<MeteredBody> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  if (stream !== null) {
    for await (const chunk of stream) {
      length += chunk.length;
      if (length > limit) return { kind: "too-large" };
      if (!meter(length)) return { kind: "no-room" };
      chunks.push(chunk);
    }
  }
  return { kind: "body", bytes: concatenate(chunks, length) };
}

/** Node's chunks lie in a pool that many requests share, so even a single one is copied. */
function concatenate(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}
