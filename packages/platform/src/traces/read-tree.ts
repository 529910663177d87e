import type { SpanStore, TreeFocus, TreeRead } from "../stores/span-store.ts";
import { TraceGoneError } from "../stores/span-store.ts";
import { nestRecords } from "../stores/trees/nest-records.ts";

/** A trace or a span with everything below it, as JSON. */
export type TreeAnswer =
  | { readonly kind: "missing" }
  /** The caller's own bytes, to be freed when they are sent. */
  | { readonly kind: "whole"; readonly json: Uint8Array<ArrayBuffer> }
  /** Too large for one buffer. Iterating throws when the trace is deleted meanwhile. */
  | {
      readonly kind: "chunks";
      readonly chunks: AsyncGenerator<Uint8Array<ArrayBuffer>, void, void>;
    };

const MISSING: TreeAnswer = { kind: "missing" };

/**
 * Reads a tree: as the store has it, at once if the store can, or put together from its records.
 *
 * @param gone Makes a signal that fires when the client has gone.
 */
export function readTree(
  store: SpanStore,
  project: string,
  focus: TreeFocus,
  gone?: () => AbortSignal,
): TreeAnswer | Promise<TreeAnswer> {
  const read = store.readTree(project, focus, gone);
  return read instanceof Promise ? read.then(toAnswer) : toAnswer(read);
}

function toAnswer(read: TreeRead): TreeAnswer | Promise<TreeAnswer> {
  switch (read.kind) {
    case "assembled":
      return { kind: "whole", json: read.json };
    case "missing":
      return MISSING;
    case "nodes":
      return lookAhead(nestRecords(read));
    case "chunks":
      return lookAhead(read.chunks);
  }
}

async function lookAhead(
  chunks: AsyncGenerator<Uint8Array<ArrayBuffer>, void, void>,
): Promise<TreeAnswer> {
  try {
    // Looking two chunks ahead tells a small answer, which has a length, from a stream; and a trace
    // that is deleted this early is simply not there.
    const first = await chunks.next();
    if (first.done) return MISSING;
    const second = await chunks.next();
    if (second.done) return { kind: "whole", json: first.value };
    return { kind: "chunks", chunks: resume([first.value, second.value], chunks) };
  } catch (error) {
    if (error instanceof TraceGoneError) return MISSING;
    throw error;
  }
}

async function* resume(
  taken: readonly Uint8Array<ArrayBuffer>[],
  rest: AsyncGenerator<Uint8Array<ArrayBuffer>, void, void>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  yield* taken;
  yield* rest;
}
