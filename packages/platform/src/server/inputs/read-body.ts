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

/** Reads a request's body, up to a limit. */
export function readBody(incoming: IncomingMessage, limit: number): Promise<BodyOutcome>;
export function readBody(
  incoming: IncomingMessage,
  limit: number,
  meter: Meter,
): Promise<MeteredBody>;
export function readBody(
  incoming: IncomingMessage,
  limit: number,
  meter: Meter = () => true,
): Promise<MeteredBody> {
  // Refused before it is sent, where the client says how much it would be.
  if (Number(incoming.headers["content-length"] ?? 0) > limit) {
    return Promise.resolve({ kind: "too-large" });
  }
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
