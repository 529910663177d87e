import { afterAll, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import type { StoredScore } from "../score-store.ts";
import type { SpanStore } from "../span-store.ts";
import { openChdbEngine } from "../testing/chdb-engine.fixture.ts";
import { toLoggedRow } from "../to-logged-row.ts";
import { ClickHouseSession } from "./clickhouse-session.ts";
import { openClickHouseStore } from "./clickhouse-store.ts";
import { indexEarlierContent } from "./earlier-logged-words.ts";

const engine = openChdbEngine();
const session = new ClickHouseSession(engine.connect(), engine.address());
const open = () => openClickHouseStore({ address: engine.address(), connect: engine.connect });
afterAll(async () => {
  await session.close();
  await engine.dispose();
});

const PROJECTS = ["p", "q"];
const SPANS = [1, 2, 3, 4, 5];

function logged(project: string, n: number, traceId = traceIdOf(n)): StoredScore {
  const content = { inputs: `"needle ${project}${n}"`, outputs: null, asked: [], answered: [] };
  const place = { project, traceId, spanId: spanIdOf(n), loggedAt: n, receivedAt: n };
  return toLoggedRow(content, place) as StoredScore;
}

async function found(store: SpanStore, project: string, text: string): Promise<string[]> {
  const request = { project, filter: { text }, limit: 100, after: null };
  const { items } = await store.listSpans(request);
  return items.map((item) => JSON.parse(item).name).sort();
}

/** As a version left it that did not index logged content. */
function forgetWords(): Promise<void> {
  return session.command(
    `ALTER TABLE ${session.table("spans_by_start")} DELETE WHERE words LIKE '%needle%'`,
    {},
    { mutations_sync: "1" },
  );
}

it("finds all logged content of an earlier version, however many spans a step takes", async () => {
  const store = await open();
  for (const project of PROJECTS) {
    // Nothing is logged of the last.
    const spans = [...SPANS, 6].map((n) =>
      storedSpan({ traceId: traceIdOf(n), id: spanIdOf(n), name: `span ${n}`, inputs: null }),
    );
    await store.append({ project, receivedAt: 1, spans });
    const scores = SPANS.map((n) => logged(project, n));
    // Its span never came.
    await store.putScores({ project, scores: [...scores, logged(project, 9)] });
  }
  const all = SPANS.map((n) => `span ${n}`);
  for (const perStep of [1, 3, 12, 100]) {
    await forgetWords();
    for (const project of PROJECTS) expect(await found(store, project, "needle")).toEqual([]);
    await indexEarlierContent(session, perStep);
    await indexEarlierContent(session, perStep);
    for (const project of PROJECTS) {
      expect(await found(store, project, "needle")).toEqual(all);
      expect(await found(store, project, `needle ${project}2`)).toEqual(["span 2"]);
    }
  }
  await store.close();
});

it("is done when a server of this version starts", async () => {
  await forgetWords();
  await session.command(`TRUNCATE TABLE ${session.table("schema_version")}`);
  await session.insert("schema_version", ["version"], [[6]]);
  const store = await open();
  expect(await found(store, "q", "needle q4")).toEqual(["span 4"]);
  await store.close();
});
