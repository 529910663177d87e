import { expect } from "vitest";
import { expectedTraces, readList, readTraces } from "./read-traces.ts";
import type { TraceLedger, TraceState } from "./trace-ledger.ts";
import { COMMON_WORD, wordOf } from "./trace-ledger.ts";

/** How long the full-text index may take to catch up. */
const CATCH_UP = { timeout: 30_000 };

/** A filter that finds all that the ledgers' clients send; none where nobody else sends anything. */
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
  expect(await readTraces(serverUrl, traceIds)).toEqual(expectedTraces(states));
}

/** Every tree, every list, every word: what is there is what was acknowledged. */
export async function expectEverything(
  serverUrl: string,
  ledgers: readonly TraceLedger[],
  among: Among = {},
): Promise<void> {
  const live = liveTraces(ledgers);
  const deleted = ledgers.flatMap((ledger) => [...ledger.deleted]);
  await expectTraces(serverUrl, ledgers, [...live.keys(), ...deleted], among);
  const ids = [...live.values()].flatMap((spans) => [...spans.keys()]).sort();
  const listed = await readList(serverUrl, "spans", among);
  expect(listed.map((span) => span.id).sort()).toEqual(ids);
  const search = () => readList(serverUrl, "spans", { ...among, q: COMMON_WORD });
  await expect.poll(async () => (await search()).length, CATCH_UP).toBe(ids.length);
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
