import type { Score } from "@agate/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { storedScore } from "../contract/stored-score.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import type { SpanStore } from "../span-store.ts";
import { sharedPostgres } from "../testing/shared-databases.fixture.ts";
import { ListedScores } from "./listed-scores.ts";
import { openPostgresStore } from "./postgres-store.ts";
import type { SqlRunner } from "./span-database.ts";
import { SpanDatabase } from "./span-database.ts";

/** What is read ahead, and the scores of each trace: their records together have a little more than a third. */
const AHEAD_BYTES = 1024 * 1024;
const SCORES = 10;
const explanation = "x".repeat(AHEAD_BYTES / 3 / SCORES);
const TRACES = Array.from({ length: 30 }, (_, n) => n);
const project = "default";

let store: SpanStore;
let database: SpanDatabase;
beforeAll(async () => {
  const address = await (await sharedPostgres()).createDatabase();
  store = await openPostgresStore({ address, onFailure: (error) => expect.fail(String(error)) });
  database = new SpanDatabase(address, { connections: 1, statementMs: 60_000 });
  const spans = TRACES.map((n) =>
    storedSpan({ traceId: traceIdOf(n), id: spanIdOf(n), start: -n }),
  );
  await store.append({ project, receivedAt: 1, spans });
});
afterAll(async () => {
  await database.close();
  await store.close();
});

/** Judges the span and the trace by turns, last first; each third trace is not judged. */
async function judge(text: string): Promise<void> {
  const scores = TRACES.filter((n) => n % 3 > 0).flatMap((n) =>
    Array.from({ length: SCORES }, (_, k) =>
      storedScore({
        id: `${n}-${k}`,
        traceId: traceIdOf(n),
        spanId: k % 2 === 0 ? spanIdOf(n) : null,
        createdAt: SCORES - k,
        explanation: text,
      }),
    ),
  );
  expect(await store.putScores({ project, scores })).toEqual({ kind: "committed" });
}

/** The ids of the scores of each trace or span, and how many statements that took. */
async function listed(of: "ofTops" | "ofSpans") {
  let statements = 0;
  const runner: SqlRunner = {
    query: (...given) => {
      statements++;
      return database.query(...given);
    },
  };
  const places = TRACES.map((n) => ({ trace_id: traceIdOf(n), span_id: spanIdOf(n) }));
  const scores = await (of === "ofTops"
    ? ListedScores.ofTops(
        runner,
        project,
        places.map(({ trace_id }) => trace_id),
      )
    : ListedScores.ofSpans(runner, project, places));
  const ids: string[][] = [];
  for (const { trace_id, span_id } of places) {
    const { afterTotal } = await scores.of(trace_id, span_id);
    const { scores: shown = [] } = JSON.parse(`{"total":0${afterTotal}}`) as { scores?: Score[] };
    ids.push(shown.map(({ id }) => id));
  }
  return { ids, statements };
}

const all = Array.from({ length: SCORES }, (_, k) => SCORES - 1 - k);
const expected = (places: readonly number[]) =>
  TRACES.map((n) => (n % 3 === 0 ? [] : places.map((k) => `${n}-${k}`)));
const EACH = { ofTops: all, ofSpans: all.filter((k) => k % 2 === 0) };

it.each(["ofTops", "ofSpans"] as const)(
  "reads the scores %s in the order of a list, with a number of statements that depends on their size",
  async (of) => {
    await judge("short");
    expect(await listed(of)).toEqual({ ids: expected(EACH[of]), statements: 2 });
    await judge(explanation);
    // Two traces at a time; of spans half of the scores, and five at a time.
    const statements = { ofTops: 1 + 20 / 2, ofSpans: 1 + 20 / 5 };
    expect(await listed(of)).toEqual({ ids: expected(EACH[of]), statements: statements[of] });
    await judge(explanation.repeat(4));
    // Each trace alone has more than is read ahead; two spans have.
    expect(await listed(of)).toEqual({ ids: expected(EACH[of]), statements: 1 + 20 });
  },
);
