import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { storedScore } from "../stores/contract/stored-score.fixture.ts";
import {
  spanIdOf,
  storedSpan,
  traceIdOf,
  usageOf,
} from "../stores/contract/stored-span.fixture.ts";
import { MOST_CONTENT_BYTES, MOST_LOGGED_CHARACTERS } from "../stores/logged-content.ts";
import { MOST_SCORES_PER_TRACE, type StoredScore } from "../stores/score-store.ts";
import type { SpanStore } from "../stores/span-store.ts";
import { openSqliteStore } from "../stores/sqlite/sqlite-store.ts";
import { toLoggedRow } from "../stores/to-logged-row.ts";
import type { MigrationObserver, MigrationOptions, MigrationResult } from "./migration.ts";
import { Migration } from "./migration.ts";
import { loadState, NO_SCORES_COPIED } from "./migration-state.ts";

const STORES = { from: "the first", to: "the second" };

let folder: string;
let from: SpanStore;
let to: SpanStore;
let stateFile: string;
let tests = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "agate-migration-"));
  from = await openSqliteStore({ directory: join(folder, "from") });
  to = await openSqliteStore({ directory: join(folder, "to") });
});
afterAll(async () => {
  await from.close();
  await to.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  // The stores are empty again for the next one.
  for (const store of [from, to]) {
    while ((await store.expire(Number.MAX_SAFE_INTEGER, 10_000)) > 0);
  }
  stateFile = join(folder, `state-${tests++}.json`);
});

/** One run: another process would do the same. */
async function migrate(
  options: Partial<MigrationOptions> = {},
  observer: Partial<MigrationObserver> = {},
  target = to,
): Promise<MigrationResult> {
  const loaded = await loadState(stateFile, STORES);
  const state =
    loaded.kind === "state"
      ? loaded.state
      : {
          ...STORES,
          position: null,
          settled: null,
          spans: 0,
          scores: NO_SCORES_COPIED,
          seed: "seed",
          sample: [],
        };
  const { signal } = new AbortController();
  return new Migration(
    { from, to: target },
    state,
    { stateFile, sampleSize: 1000, signal, ...options },
    { copied: () => {}, waiting: () => {}, compared: () => {}, ...observer },
  ).run();
}

async function finished(running: Promise<MigrationResult>) {
  const result = await running;
  if (result.kind !== "finished") throw new Error(`It is ${result.kind}`);
  return result;
}

/** Traces of ten spans, each trace a batch that arrived at a time of its own. */
async function fill(first: number, end: number): Promise<void> {
  const traces = Array.from({ length: end - first }, (_, n) => first + n);
  await Promise.all(
    traces.map((trace) =>
      from.append({
        project: `project-${trace % 2}`,
        receivedAt: trace,
        spans: Array.from({ length: 10 }, (_, n) =>
          storedSpan({
            traceId: traceIdOf(trace),
            id: spanIdOf(trace * 100 + n),
            parentId: n === 0 ? null : spanIdOf(trace * 100),
            start: trace * 1000 + n,
            figures: { role: "own", usage: usageOf(n, 1), cost: n / 10 },
            inputs: "words ".repeat(100),
          }),
        ),
      }),
    ),
  );
}

it("copies everything, and finds both equal", async () => {
  await fill(0, 60);
  // In two parts, and a span of the first one sent again.
  const one = { project: "default", receivedAt: 1_000 };
  const trace = { traceId: traceIdOf(999) };
  await from.append({ ...one, spans: [storedSpan(trace)] });
  await from.append({
    ...one,
    spans: [storedSpan({ ...trace, id: spanIdOf(2) }), storedSpan({ ...trace, name: "last" })],
  });
  const { copied, counts, trees } = await finished(migrate());
  expect(copied).toBe(602);
  const both = (count: { traces: number; spans: number; scores: number }) => ({
    from: count,
    to: count,
  });
  expect(counts).toEqual([
    { project: "default", ...both({ traces: 1, spans: 2, scores: 0 }) },
    { project: "project-0", ...both({ traces: 30, spans: 300, scores: 0 }) },
    { project: "project-1", ...both({ traces: 30, spans: 300, scores: 0 }) },
  ]);
  expect(trees).toEqual({ compared: 61, differing: [] });
  // With their time of arrival, which is what retention counts from.
  expect(await to.expire(30, 1000)).toBe(30);
});

it("goes on where it was stopped, and compares what both runs have copied", async () => {
  await fill(0, 500);
  const ended = new AbortController();
  let reached = 0;
  const copied = (spans: number) => {
    reached = spans;
    if (spans > 100) ended.abort();
  };
  expect(await migrate({ signal: ended.signal }, { copied })).toEqual({ kind: "interrupted" });
  expect(reached).toBeLessThan(5_000);
  const seen: number[] = [];
  const result = await finished(migrate({}, { copied: (spans) => void seen.push(spans) }));
  expect(result.copied).toBe(5_000 - reached);
  expect(seen[0]).toBe(reached);
  expect(seen.at(-1)).toBe(5_000);
  expect(result.trees).toEqual({ compared: 500, differing: [] });
});

it("copies what has arrived since, and traces that have grown, when it is run again", async () => {
  await fill(0, 20);
  await finished(migrate());
  expect((await finished(migrate())).copied).toBe(0);
  const grown = storedSpan({ traceId: traceIdOf(3), id: spanIdOf(7777) });
  await from.append({ project: "project-1", receivedAt: 1_000, spans: [grown] });
  await fill(20, 22);
  const { copied, trees } = await finished(migrate());
  expect(copied).toBe(31);
  expect(trees).toEqual({ compared: 22, differing: [] });
});

it("looks again at what arrived a moment before, if something is missing", async () => {
  const receivedAt = Date.now() * 1000;
  const project = "default";
  await from.append({ project, receivedAt, spans: [storedSpan()] });
  await finished(migrate());
  // Another server was slower to commit what had arrived before.
  const late = storedSpan({ traceId: traceIdOf(2) });
  await from.append({ project, receivedAt: receivedAt - 1_000_000, spans: [late] });
  const { counts, trees } = await finished(migrate());
  expect(counts).toMatchObject([{ to: { traces: 2 } }]);
  expect(trees).toEqual({ compared: 2, differing: [] });
});

it("tells what differs, what is missing, and what is there besides", async () => {
  await fill(0, 4);
  const besides = { project: "project-0", receivedAt: 1 };
  await to.append({ ...besides, spans: [storedSpan({ traceId: traceIdOf(77) })] });
  await finished(migrate());
  const changed = storedSpan({ traceId: traceIdOf(2), name: "changed" });
  await to.append({ ...besides, spans: [changed] });
  await to.deleteTrace("project-1", traceIdOf(3));
  const { counts, trees } = await finished(migrate());
  const counted = (traces: number, spans: number) => ({ traces, spans, scores: 0 });
  expect(counts).toEqual([
    { project: "project-0", from: counted(2, 20), to: counted(3, 22) },
    { project: "project-1", from: counted(2, 20), to: counted(1, 10) },
  ]);
  expect(trees.compared).toBe(4);
  expect(trees.differing.map(({ traceId }) => traceId).sort()).toEqual([2, 3].map(traceIdOf));
});

it("compares no more traces than it is told to", async () => {
  await fill(0, 30);
  expect((await finished(migrate({ sampleSize: 7 }))).trees.compared).toBe(7);
  expect((await finished(migrate({ sampleSize: 0 }))).trees.compared).toBe(0);
});

it("names a trace that the target has lost, though it holds more than the source", async () => {
  await fill(0, 40);
  await finished(migrate());
  await to.deleteTrace("project-1", traceIdOf(7));
  const spans = Array.from({ length: 30 }, (_, n) =>
    storedSpan({ traceId: traceIdOf(5_000 + (n >> 1)), id: spanIdOf(n + 1) }),
  );
  await to.append({ project: "project-1", receivedAt: 1, spans });
  const { missing, counts } = await finished(migrate({ sampleSize: 1 }));
  expect(counts.every(({ from, to }) => to.spans >= from.spans)).toBe(true);
  expect(missing).toEqual([{ project: "project-1", traceId: traceIdOf(7) }]);
});

it("compares as many traces as a later run asks for", async () => {
  await fill(0, 40);
  expect((await finished(migrate({ sampleSize: 3 }))).trees.compared).toBe(3);
  expect((await finished(migrate({ sampleSize: 25 }))).trees.compared).toBe(25);
  expect((await finished(migrate({ sampleSize: 1_000 }))).trees.compared).toBe(40);
});

/** Two scores for each of these traces, in the order of an export. */
function scoresOf(
  first: number,
  end: number,
  sketch: { value?: number; receivedAt?: number } = {},
) {
  const traces = Array.from({ length: end - first }, (_, n) => traceIdOf(first + n));
  return traces.flatMap((traceId) =>
    ["helpful", "safe"].map((name) => storedScore({ traceId, name, ...sketch })),
  );
}

async function judge(store: SpanStore, scores: readonly StoredScore[]): Promise<void> {
  const outcome = await store.putScores({ project: "project-0", scores });
  expect(outcome).toEqual({ kind: "committed" });
}

async function scoresIn(store: SpanStore): Promise<StoredScore[]> {
  const all: StoredScore[] = [];
  for await (const { scores } of store.exportScores(null)) all.push(...scores);
  return all;
}

it("copies scores with their arrivals, of missing traces too, and compares their number", async () => {
  await fill(0, 4);
  const scores = scoresOf(0, 600, { receivedAt: 7 });
  await judge(from, scores);
  const { copiedScores, counts, lacking } = await finished(migrate());
  expect(copiedScores).toBe(1_200);
  expect(await scoresIn(to)).toEqual(scores);
  expect(counts[0]).toMatchObject({ from: { scores: 1_200 }, to: { scores: 1_200 } });
  expect(lacking).toEqual([]);
  await to.deleteTrace("project-0", traceIdOf(500));
  // All of them again: what is missing arrived before the last run.
  expect((await finished(migrate())).copiedScores).toBe(1_200);
  expect(await scoresIn(to)).toEqual(scores);
});

it("copies scores that were changed since, when it is run again, and no others", async () => {
  await fill(0, 4);
  await judge(from, scoresOf(0, 600));
  await finished(migrate());
  const changed = scoresOf(2, 3, { value: 0, receivedAt: Date.now() * 1000 });
  await judge(from, changed);
  const { copiedScores, trees } = await finished(migrate());
  expect(copiedScores).toBe(2);
  expect(trees.differing).toEqual([]);
  expect(await scoresIn(to)).toEqual(await scoresIn(from));
});

it("goes on with scores where it was stopped, and copies what has changed before that place", async () => {
  const scores = scoresOf(0, 1_000);
  await judge(from, scores);
  const ended = new AbortController();
  let puts = 0;
  const putScores: SpanStore["putScores"] = (batch) => {
    if (++puts === 2) ended.abort();
    return to.putScores(batch);
  };
  const stopping = new Proxy(to, {
    get: (target, key) => {
      const value = key === "putScores" ? putScores : Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const stopped = await migrate({ signal: ended.signal }, {}, stopping);
  expect(stopped).toEqual({ kind: "interrupted" });
  expect(await scoresIn(to)).toEqual(scores.slice(0, 1_000));
  await judge(from, scoresOf(3, 4, { value: 0, receivedAt: Date.now() * 1000 }));
  expect((await finished(migrate())).copiedScores).toBe(1_000 + 2);
  expect(await scoresIn(to)).toEqual(await scoresIn(from));
});

it("refuses scores that the target has no room for, and names their trace", async () => {
  const many = (prefix: string) =>
    Array.from({ length: MOST_SCORES_PER_TRACE }, (_, n) => storedScore({ id: `${prefix}-${n}` }));
  await judge(from, many("a").slice(0, 1));
  await judge(to, many("b").slice(1));
  await finished(migrate());
  await judge(from, [storedScore({ id: "one too many", receivedAt: Date.now() * 1000 })]);
  await expect(migrate()).rejects.toThrow(
    `The trace ${traceIdOf(1)} of project project-0 has 1000 scores`,
  );
});

it("refuses logged content that the target has no room for, and names its span", async () => {
  const place = { project: "project-0", traceId: traceIdOf(1), spanId: spanIdOf(1) };
  const logged = (n: number, receivedAt = 0) => {
    const asked = [JSON.stringify(String(n).padEnd(MOST_LOGGED_CHARACTERS - 1_000))];
    const content = { inputs: null, outputs: null, asked, answered: [] };
    return toLoggedRow(content, { ...place, loggedAt: n, receivedAt }) as StoredScore;
  };
  const most = MOST_CONTENT_BYTES / MOST_LOGGED_CHARACTERS;
  await judge(from, [logged(0)]);
  await judge(
    to,
    Array.from({ length: most - 1 }, (_, n) => logged(n + 1)),
  );
  await finished(migrate());
  await judge(from, [logged(most, Date.now() * 1000)]);
  await expect(migrate()).rejects.toThrow(
    `The span ${place.spanId} in the trace ${place.traceId} of project project-0 has logged messages in both stores, together more than 4194304 bytes`,
  );
});
