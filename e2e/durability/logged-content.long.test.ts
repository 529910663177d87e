import { expect, it } from "vitest";
import { sharedPostgres } from "../../packages/platform/src/stores/testing/shared-databases.fixture.ts";
import { findTraces, readTrace } from "../clients/read-back.ts";
import { emptyDataFolder } from "../data-folder.ts";
import { startServer } from "../running-server.ts";
import { SeededRandom } from "./seeded-random.ts";

const ROUNDS = 5;
const CALLS = 60;
const SEED = Number(process.env.AGATE_CRASH_SEED ?? 17);

interface Part {
  readonly path: "/v1/traces" | "/v1/logs";
  readonly body: object;
}

const hex = (n: number, length: number) => n.toString(16).padStart(length, "0");
const idsOf = (call: number) => ({ traceId: hex(call, 32), spanId: hex(call, 16) });

/** A call as instrumentations send it: the span, the question and the answer, each in a request. */
function partsOf(call: number): Part[] {
  const ids = idsOf(call);
  const span = { ...ids, name: "chat", startTimeUnixNano: "1", endTimeUnixNano: "2" };
  const logged = (eventName: string, content: string): Part => {
    const body = { kvlistValue: { values: [{ key: "content", value: { stringValue: content } }] } };
    const record = { ...ids, eventName, timeUnixNano: "1794736802000000000", body };
    return {
      path: "/v1/logs",
      body: { resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] },
    };
  };
  return [
    { path: "/v1/traces", body: { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] } },
    logged("gen_ai.user.message", `question ${call}`),
    logged("gen_ai.choice", `answer ${call}`),
  ];
}

/** The flags of a server on an empty store of its kind. */
const STORES: readonly (readonly [name: string, flags: () => Promise<readonly string[]>])[] = [
  ["SQLite", async () => []],
  [
    "PostgreSQL",
    async () => {
      const { url } = await (await sharedPostgres()).createDatabase();
      return ["--store", url];
    },
  ],
];

it.each(STORES)(
  `brings messages and spans together in any order, through ${ROUNDS} kills, in %s`,
  async (_, flagsOf) => {
    await using folder = await emptyDataFolder();
    const options = { dataDirectory: folder.path, flags: await flagsOf() };
    const random = new SeededRandom(SEED);
    const order = Array.from({ length: CALLS }, (_, n) => partsOf(n + 1))
      .flat()
      .map((part) => ({ part, place: random.next() }))
      .toSorted((a, b) => a.place - b.place);
    const waiting = new Set(order.map(({ part }) => part));
    for (let round = 0; waiting.size > 0; round++) {
      await using server = await startServer(options);
      const share = round < ROUNDS ? Math.ceil((3 * CALLS) / (ROUNDS + 1)) : waiting.size;
      let answered = 0;
      const half = Promise.withResolvers<void>();
      const sent = [...waiting].slice(0, share).map(async (part) => {
        const headers = { "content-type": "application/json" };
        const init = { method: "POST", headers, body: JSON.stringify(part.body) };
        const response = await fetch(`${server.url}${part.path}`, init).catch(() => undefined);
        // What was not acknowledged is sent again, as exporters do.
        if (response?.status === 200) waiting.delete(part);
        answered++;
        if (answered >= share / 2) half.resolve();
      });
      if (round < ROUNDS) {
        await half.promise;
        await server.kill();
      }
      await Promise.all(sent);
    }
    await using server = await startServer(options);
    for (let call = 1; call <= CALLS; call++) {
      const { content } = await readTrace(server.url, idsOf(call).traceId);
      expect(content, `seed ${SEED}, call ${call}`).toEqual({
        inputs: { messages: [{ role: "user", content: `question ${call}` }] },
        internals: null,
        outputs: { messages: [{ role: "assistant", content: `answer ${call}` }] },
      });
    }
    // And they are found by it, also where the server was killed before it was indexed.
    const found = (q: string) =>
      findTraces(server.url, String(new URLSearchParams({ q, limit: "100" })));
    await expect
      .poll(async () => (await found("chat question answer")).length, { timeout: 30_000 })
      .toBe(CALLS);
    const { traceId, spanId } = idsOf(CALLS);
    expect(await found(`"question ${CALLS}"`)).toMatchObject([{ id: spanId, trace_id: traceId }]);
  },
  240_000,
);
