import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { expectedSpans, expectedTraces, readList, readTraces, seenSpan } from "./read-traces.ts";
import type { TraceLedger, TraceState } from "./trace-ledger.ts";
import { COMMON_WORD, wordOf } from "./trace-ledger.ts";

/** How long the full-text index may take to catch up. */
const CATCH_UP = { timeout: 120_000 };

/** A filter that finds all that the ledgers' clients send; none where no other client sends anything. */
type Among = Readonly<Record<string, string>>;

/** The list has exactly the traces that must be there, and these ones are whole or gone. */
export async function expectTraces(
  serverUrl: string,
  ledgers: readonly TraceLedger[],
  traceIds: readonly string[],
  among: Among = {},
): Promise<void> {
  const live = liveTraces(ledgers);
  const listed = await readList(serverUrl, "traces", among);
  expect(listed.map((top) => top.trace_id).sort()).toEqual([...live.keys()].sort());
  const states = traceIds.map((id) => [id, live.get(id) ?? new Map()] as const);
  expectSame(await readTraces(serverUrl, traceIds), expectedTraces(states));
}

/** Every trace that was acknowledged is there in full, and every one that was deleted is gone. */
export async function expectAllTraces(
  serverUrl: string,
  ledgers: readonly TraceLedger[],
  among: Among = {},
): Promise<void> {
  const deleted = ledgers.flatMap((ledger) => [...ledger.deleted]);
  const traceIds = [...liveTraces(ledgers).keys(), ...deleted];
  await expectTraces(serverUrl, ledgers, traceIds, among);
}

/** Every tree, every list, every word: what is there is what was acknowledged. */
export async function expectEverything(
  serverUrl: string,
  ledgers: readonly TraceLedger[],
  among: Among = {},
): Promise<void> {
  await expectAllTraces(serverUrl, ledgers, among);
  const spans = [...liveTraces(ledgers).values()].flatMap((state) => [...state.values()]);
  const expected = Object.fromEntries(expectedSpans(spans).map((span) => [span.id, span]));
  const read = async (query: Among) => {
    const listed = await readList(serverUrl, "spans", { ...among, ...query });
    expect(new Set(listed.map(({ id }) => id)).size, "each span is listed once").toBe(
      listed.length,
    );
    return Object.fromEntries(listed.map((span) => [span.id, seenSpan(span)]));
  };
  expectSame(await read({}), expected);
  const search = () => read({ q: COMMON_WORD });
  await expect
    .poll(async () => Object.keys(await search()).sort(), CATCH_UP)
    .toEqual(Object.keys(expected).sort());
}

/** Names the first trace or span that differs: a diff of all of them would be megabytes. */
function expectSame(
  found: Readonly<Record<string, unknown>>,
  expected: Readonly<Record<string, unknown>>,
): void {
  expect(Object.keys(found).sort()).toEqual(Object.keys(expected).sort());
  for (const [id, value] of Object.entries(expected)) {
    if (!isDeepStrictEqual(found[id], value)) expect(found[id], id).toEqual(value);
  }
}

/** A span can be read by its id at once, and found by its word when the index has caught up. */
export async function expectFound(serverUrl: string, spanId: string): Promise<void> {
  const byId = await fetch(`${serverUrl}/observability/spans/${spanId}/`);
  expect(byId.status).toBe(200);
  await byId.body?.cancel();
  const search = () => readList(serverUrl, "spans", { q: wordOf(spanId) });
  await expect
    .poll(async () => (await search()).map((span) => span.id), CATCH_UP)
    .toEqual([spanId]);
}

function liveTraces(ledgers: readonly TraceLedger[]): Map<string, TraceState> {
  return new Map(ledgers.flatMap(({ traces }) => [...traces]));
}
