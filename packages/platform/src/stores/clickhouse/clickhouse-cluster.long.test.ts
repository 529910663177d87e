import type { ClickHouseClient, ClickHouseSettings } from "@clickhouse/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { expectedTree } from "../contract/expected-tree.fixture.ts";
import { family } from "../contract/family.fixture.ts";
import { storedScore } from "../contract/stored-score.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import { Subject } from "../contract/subject.fixture.ts";
import { openChdbEngine } from "../testing/chdb-engine.fixture.ts";
import { clickHouseSchema, EARLIER_LAYOUTS } from "./clickhouse-schema.ts";
import { openClickHouseStore } from "./clickhouse-store.ts";

// The statements of a cluster, run through distributed tables by the real engine. It has no Keeper,
// so that what is meant for every server is run by this one, and nothing is replicated.
const engine = openChdbEngine();
const statements: string[] = [];
const settings: ClickHouseSettings[] = [];

function withoutKeeper(client: ClickHouseClient): ClickHouseClient {
  const { query, insert, exec, command } = client;
  client.query = (options) => query.call(client, onItself(options)) as never;
  client.insert = (options) => insert.call(client, onItself(options as never));
  client.exec = (options) => exec.call(client, onItself(options));
  client.command = (options) => {
    statements.push(options.query);
    const text = options.query
      .replace(/ ON CLUSTER `one-shard`/, "")
      .replace(/Replicated(\w+)\('[^']*', '[^']*'(?:, )?/, "$1(");
    return command.call(client, { ...onItself(options), query: text });
  };
  return client;
}

/** There is no port at which it could reach its shard, but for being that shard. */
function onItself<Options extends { readonly clickhouse_settings?: ClickHouseSettings }>(
  options: Options,
): Options {
  settings.push(options.clickhouse_settings ?? {});
  const here = { ...options.clickhouse_settings, prefer_localhost_replica: 1 } as const;
  return { ...options, clickhouse_settings: here };
}

const subject = new Subject(() =>
  openClickHouseStore({
    address: engine.address({ cluster: "one-shard" }),
    connect: () => withoutKeeper(engine.connect()),
  }),
);

beforeAll(() => subject.open());
afterAll(async () => {
  await subject.store.close();
  await engine.dispose();
});

it("writes, reads, lists, searches and adds up on a cluster", async () => {
  subject.fresh();
  const spans = family();
  await subject.append(spans.slice(0, 2));
  await subject.append(spans.slice(2));
  await subject.append([storedSpan({ traceId: traceIdOf(2), name: "other", start: 40 })]);
  expect(await subject.readTrace()).toEqual(expectedTree(spans));
  expect(await subject.read({ kind: "span", spanId: spanIdOf(2) })).toEqual(
    expectedTree(spans).children?.[0],
  );
  const top = "root of the family";
  expect(await subject.namesOf("listTraces", {})).toEqual(["other", top]);
  expect((await subject.list("listSpans", {}, 3)).items).toHaveLength(3);
  expect(await subject.namesOf("listTraces", { text: "uni" })).toEqual([top]);
  const { tops } = await subject.store.readTops(subject.project, [traceIdOf(1)]);
  expect(tops).toHaveLength(1);
  const { start } = storedSpan();
  const from = start - (start % 1000);
  const result = await subject.store.analytics({
    project: subject.project,
    filter: { text: "family" },
    from,
    to: from + 1000,
    interval: 1000,
    groups: { by: "name", limit: 1 },
  });
  expect(result).toMatchObject({ total: { count: 1, cost: 0.3 }, groups: [{ key: top }] });
});

it("tells, counts, exports, expires and deletes on a cluster", async () => {
  subject.fresh();
  const told: string[] = [];
  const watch = subject.store.watch((changes) => {
    told.push(...changes.map(({ traceId }) => traceId));
  });
  await watch.ready;
  await subject.append([storedSpan()], 1);
  await expect.poll(() => told).toEqual([traceIdOf(1)]);
  watch.stop();
  await subject.append([storedSpan({ traceId: traceIdOf(2) })], 2);
  await subject.append([storedSpan({ traceId: traceIdOf(3) })], 3);
  const counts = await subject.store.countSpans();
  expect(counts.find(({ project }) => project === subject.project)?.spans).toBe(3);
  const exported: number[] = [];
  for await (const part of subject.store.exportSpans(null)) exported.push(part.receivedAt);
  expect(exported.slice(0, 3)).toEqual([1, 2, 3]);
  expect(await subject.store.expire(2, 10)).toBe(1);
  expect(await subject.store.deleteTrace(subject.project, traceIdOf(3))).toEqual({
    kind: "deleted",
  });
  const { items } = await subject.list("listTraces");
  expect(items.map((item) => item.trace_id)).toEqual([traceIdOf(2)]);
});

it("judges, filters, adds up, exports and deletes scores on a cluster", async () => {
  subject.fresh();
  const { project, store } = subject;
  await subject.append([storedSpan({ variant: "blue" })], 1);
  const helpful = storedScore({ receivedAt: 1 });
  const orphan = storedScore({ traceId: traceIdOf(9), receivedAt: 1 });
  await store.putScores({ project, scores: [{ ...helpful, value: 0 }, orphan] });
  await store.putScores({ project, scores: [helpful] });
  expect((await subject.readTrace())?.metadata.scores).toHaveLength(1);
  const score = { name: "helpful", test: { operator: ">", value: 0.5 } } as const;
  const { items } = await subject.list("listTraces", { score });
  expect(items.map(({ metadata }) => metadata.scores?.length)).toEqual([1]);
  const { start } = storedSpan();
  const figures = await store.scoreFigures({
    project,
    filter: { score },
    from: start - (start % 1000),
    to: start - (start % 1000) + 1000,
    interval: 1000,
    groups: { by: "variant", limit: 1 },
  });
  expect(figures.names).toMatchObject([{ count: 1, mean: 1, groups: [{ key: "blue", count: 1 }] }]);
  const exported: string[] = [];
  for await (const part of store.exportScores(null)) {
    if (part.project === project) exported.push(...part.scores.map(({ id }) => id));
  }
  expect(exported).toEqual([helpful.id, orphan.id]);
  expect((await store.countScores()).get(project)).toBe(2);
  expect(await store.expire(2, 10)).toBe(2);
  expect((await store.countScores()).get(project)).toBeUndefined();
});

it("reads and writes by the same replica of a shard, and waits until it has the rows", () => {
  expect(settings.length).toBeGreaterThan(0);
  for (const sent of settings) {
    expect(sent).toMatchObject({
      load_balancing: "in_order",
      prefer_localhost_replica: 0,
      distributed_foreground_insert: 1,
    });
  }
});

it("changes tables on every server of the cluster", async () => {
  await subject.store.keepFor(30 * 86_400_000);
  await subject.store.keepFor(null);
  for (const statement of statements) expect(statement).toContain("ON CLUSTER `one-shard`");
  expect(statements.some((statement) => statement.includes("MODIFY TTL"))).toBe(true);
});

it.each([...EARLIER_LAYOUTS.entries()])(
  "makes tables as the other servers of the cluster have them (%i)",
  async (n, layout) => {
    const database = `earlier${n}`;
    const address = { ...engine.address({ cluster: "one-shard" }), database };
    const client = withoutKeeper(engine.connect());
    await client.command({ query: `CREATE DATABASE ${database}` });
    const made = clickHouseSchema(address, layout);
    // What the others have: this server lacks all but one of its tables.
    const query = made.find((each) => each.includes(`\`${database}\`.\`spans_by_start_local\``))!;
    await client.command({ query });
    statements.length = 0;
    const store = await openClickHouseStore({ address, connect: () => client });
    await store.close();
    const created = statements.filter((statement) => statement.startsWith("CREATE TABLE"));
    expect(created).toEqual(made.filter((statement) => statement.startsWith("CREATE TABLE")));
  },
);
