import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ListVerb } from "../contract/listed-pages.fixture.ts";
import { listedPages } from "../contract/listed-pages.fixture.ts";
import { traceIdOf } from "../contract/stored-span.fixture.ts";
import {
  verbs,
  zonedChanges,
  zonedConditions,
  zonedTrace,
} from "../contract/zoned-traces.fixture.ts";
import type { SpanFilter } from "../span-query.ts";
import type { SpanStore } from "../span-store.ts";
import { checkFolder } from "./check-folder.ts";
import { countOutsideZones } from "./count-outside-zones.ts";
import { filesIn } from "./data-directory.ts";
import { memoise } from "./span-records.ts";
import { migrate } from "./span-schema.ts";
import { openSqliteStore } from "./sqlite-store.ts";
import { emptyZones, ZoneFiller } from "./zone-filler.ts";
import { ZONES, ZoneMap } from "./zone-map.ts";

// A filter finds the same as a look at every item of the list does, in stores of several zones.

const project = "default";
const directory = mkdtempSync(join(tmpdir(), "agate-zones-"));
let store: SpanStore;
beforeAll(async () => {
  store = await openSqliteStore({ directory });
});
afterAll(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

/** More than are looked at without zones, and more zones of spans than are read at first. */
const TRACES = 12 * ZONES.t.size + 10;

const ZONED_TRACES = { count: TRACES, strangeName: "\ud800" };
const traceOf = (n: number) => zonedTrace(n, ZONED_TRACES);
const filters: fc.Arbitrary<SpanFilter> = fc.record(
  {
    ...zonedConditions(ZONED_TRACES.strangeName),
    text: fc.constantFrom("common", "seldom", "absent"),
  },
  { requiredKeys: [] },
);

it("finds by any filter what a look at all rows finds, page by page", async () => {
  for (let first = 0; first < TRACES; first += 100) {
    const traces = Array.from({ length: Math.min(100, TRACES - first) }, (_, n) => first + n);
    await store.append({ project, receivedAt: first, spans: traces.flatMap(traceOf) });
  }
  await expectSameLists(30);

  for (const n of [2, 290, 600]) {
    await store.append({ project, receivedAt: TRACES, spans: zonedChanges(n, ZONED_TRACES) });
  }
  await store.deleteTrace(project, traceIdOf(7));
  await expectSameLists(30);
  const expensive = await idsOf("listTraces", { minCost: 49 });
  expect(expensive.length).toBeGreaterThan(0);
});

it("finds the same while zones are filled again, and after", async () => {
  await store.close();
  {
    using db = new DatabaseSync(filesIn(directory).spans);
    db.exec("BEGIN");
    emptyZones(db);
    db.exec("COMMIT");
  }
  store = await openSqliteStore({ directory });
  await expectSameLists(5);
  using db = new DatabaseSync(filesIn(directory).spans, { readOnly: true });
  await expect.poll(() => db.prepare("SELECT 1 FROM unzoned").get()).toBe(undefined);
  await expectSameLists(20);
});

it("adds every row from before, on both sides of how many are added at once", () => {
  for (const rows of [1, 999, 1_000, 1_001, 2_000, 2_001]) {
    using db = new DatabaseSync(":memory:");
    migrate(db);
    // One to a zone: each is missed if it is left out.
    db.exec(`
      WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${rows})
      INSERT INTO spans (span_no, trace_no, segment, span_id, project, start, name, spankind, status)
      SELECT n * ${ZONES.p.size}, n, 0, n, 'default', n, 'x', 'LLM', 'OK' FROM n;
      INSERT INTO traces (trace_no, project, trace_id, received, segments, spans, summarised, top_segment,
        top_offset, top_length, start, name, spankind, status, total)
      SELECT trace_no * ${ZONES.t.size}, project, span_id, 0, 1, 1, 1, 0, 0, 0, start, name, spankind, status, ''
      FROM spans;`);
    emptyZones(db);
    const filler = new ZoneFiller(db, new ZoneMap(db));
    // Not before all rows are complete.
    db.exec("INSERT INTO older_segments VALUES (0, 1)");
    expect(filler.fillSome()).toBe(false);
    db.exec("DELETE FROM older_segments");
    expect(countOutsideZones(db, "p")).toBe(0);
    let steps = 0;
    while (filler.fillSome()) steps++;
    expect(steps).toBeLessThanOrEqual(2 * Math.ceil(rows / 1_000) + 3);
    expect([countOutsideZones(db, "t"), countOutsideZones(db, "p")]).toEqual([0, 0]);
    const zones = db.prepare("SELECT count(DISTINCT zone) AS n FROM span_zones").get() as {
      n: number;
    };
    expect(zones.n).toBe(rows);
  }
});

it("is found wrong by a check where zones lack what rows have, and repaired", async () => {
  await store.close();
  {
    using db = new DatabaseSync(filesIn(directory).spans);
    db.exec(
      "UPDATE span_zones SET latency = 1 WHERE zone = 0; DELETE FROM trace_zones WHERE zone = 1",
    );
  }
  const check = (repairIndex: boolean) =>
    checkFolder(directory, { repairIndex, signal: new AbortController().signal }).indexProblems;
  expect(check(false)).toEqual([
    expect.stringMatching(/spans\.db: 256 traces are outside of their zones/),
    expect.stringMatching(/spans\.db: \d+ spans are outside of their zones/),
  ]);
  check(true);
  expect(check(false)).toEqual([]);
  store = await openSqliteStore({ directory });
  await expectSameLists(5);
});

it("drops the zones of traces that have expired", async () => {
  await store.expire(TRACES + 1, TRACES);
  using db = new DatabaseSync(filesIn(directory).spans, { readOnly: true });
  const zones = db.prepare(
    "SELECT (SELECT count(*) FROM trace_zones) + (SELECT count(*) FROM span_zones) AS n",
  );
  await expect.poll(() => (zones.get() as { n: number }).n).toBe(0);
  await expectSameLists(5);
});

const CONDITIONS: Partial<Record<keyof SpanFilter, string>> = {
  spankind: "r.spankind = ?",
  name: "r.name = ?",
  status: "r.status = ?",
  application: "r.application = ?",
  route: "r.route = ?",
  variant: "r.variant = ?",
  revision: "r.revision = ?",
  environment: "r.environment = ?",
  minLatency: "r.latency >= ?",
  minCost: "r.cost >= ?",
  startedFrom: "r.start >= ?",
  startedBefore: "r.start < ?",
  traffic: "iif(t.run IS NULL, 'live', 'evaluation') = ?",
};

async function expectSameLists(runs: number): Promise<void> {
  await store.searchCaughtUp();
  using db = new DatabaseSync(filesIn(directory).spans, { readOnly: true });
  expect([countOutsideZones(db, "t"), countOutsideZones(db, "p")]).toEqual([0, 0]);
  const [limit, pages] = [fc.constantFrom(7, 50, 1_000), 20];
  const idsWith = memoise(async (key: string) => {
    const [verb, text] = key.split(" ") as [ListVerb, string];
    return new Set(await idsOf(verb, { text }, 1_000));
  });
  const property = fc.asyncProperty(verbs, filters, limit, async (verb, filter, limit) => {
    const { text, ...columns } = filter;
    const conditions = Object.keys(columns).map((key) => CONDITIONS[key as keyof SpanFilter]);
    const [rows, id] = verb === "listTraces" ? ["traces", "trace_id"] : ["spans", "span_id"];
    const all = db
      .prepare(
        `SELECT r.${id} AS id FROM ${rows} r JOIN traces t USING (trace_no)
         WHERE ${["TRUE", ...conditions].join(" AND ")} ORDER BY r.start DESC, r.${id} DESC`,
      )
      .all(...(Object.values(columns) as (string | number)[])) as { id: string }[];
    const having = text === undefined ? null : await idsWith(`${verb} ${text}`);
    const wanted = all.flatMap(({ id }) => (having === null || having.has(id) ? [id] : []));
    const found = await idsOf(verb, filter, limit, pages);
    expect(found).toEqual(wanted.slice(0, pages * limit));
  });
  await fc.assert(property, { numRuns: runs, seed: 18 });
}

/** The ids on the first pages of a list. */
async function idsOf(verb: ListVerb, filter: SpanFilter, limit = 100, pages?: number) {
  return (await listedPages(store, verb, { project, filter, limit }, pages)).flat();
}
