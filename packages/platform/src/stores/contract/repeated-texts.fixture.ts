import type { StoredSpan } from "@agate/spans";
import type { SpanStore } from "../span-store.ts";
import { spanIdOf, storedSpan } from "./stored-span.fixture.ts";

/** What every call of an agent repeats. */
export const HISTORY = "a question about needles that every call repeats";

/** A call of one trace, with the messages that it sends. */
export function callOf(n: number, ...texts: readonly string[]): StoredSpan {
  return storedSpan({ id: spanIdOf(n), name: `call${n}`, start: n, inputs: { messages: texts } });
}

/** The names of the spans that a search finds, and how many traces. */
export async function foundIn(
  store: SpanStore,
  project: string,
  text: string,
): Promise<readonly [spans: string[], traces: number]> {
  await store.searchCaughtUp();
  const request = { project, filter: { text }, limit: 1_000, after: null };
  const { items } = await store.listSpans(request);
  const traces = await store.listTraces(request);
  return [items.map((item) => JSON.parse(item).name).sort(), traces.items.length];
}
