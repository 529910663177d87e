import type { SpanStore, TreeFocus } from "../stores/span-store.ts";
import { TraceGoneError } from "../stores/span-store.ts";
import { nestRecords } from "./nest-records.ts";

/** A trace or a span with everything below it, as JSON. */
export type TreeAnswer =
  | { readonly kind: "missing" }
  | { readonly kind: "whole"; readonly json: Uint8Array }
  /** Too large for one buffer. Iterating throws when the trace is deleted meanwhile. */
  | { readonly kind: "chunks"; readonly chunks: AsyncGenerator<Uint8Array, void, void> };

const MISSING: TreeAnswer = { kind: "missing" };

/** Reads a tree: as the store has it, or put together from its records. */
export async function readTree(
  store: SpanStore,
  project: string,
  focus: TreeFocus,
): Promise<TreeAnswer> {
  const read = await store.readTree(project, focus);
  if (read.kind === "assembled") return { kind: "whole", json: read.json };
  if (read.kind === "missing") return MISSING;
  const chunks = nestRecords(read);
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
  taken: readonly Uint8Array[],
  rest: AsyncGenerator<Uint8Array, void, void>,
): AsyncGenerator<Uint8Array, void, void> {
  yield* taken;
  yield* rest;
}
