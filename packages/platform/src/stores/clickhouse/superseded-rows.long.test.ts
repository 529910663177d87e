import { afterAll, beforeAll, expect, it } from "vitest";
import { expectedTree } from "../contract/expected-tree.fixture.ts";
import { spanIdOf, storedSpan } from "../contract/stored-span.fixture.ts";
import { Subject } from "../contract/subject.fixture.ts";
import { openChdbEngine } from "../testing/chdb-engine.fixture.ts";
import { openClickHouseStore } from "./clickhouse-store.ts";

const engine = openChdbEngine();
const client = engine.connect();
const subject = new Subject(() =>
  openClickHouseStore({ address: engine.address(), connect: engine.connect }),
);

beforeAll(() => subject.open());
afterAll(async () => {
  await subject.store.close();
  await client.close();
  await engine.dispose();
});

const batch = (version: number) =>
  Array.from({ length: 20 }, (_, n) =>
    storedSpan({
      id: spanIdOf(n),
      parentId: n === 0 ? null : spanIdOf(0),
      start: n,
      name: `version ${version}`,
    }),
  );

it("drops the rows of spans that were sent again when it merges parts", async () => {
  subject.fresh();
  for (let n = 0; n < 4; n++) await subject.append(batch(n));
  for (const table of ["spans", "spans_by_start"]) {
    const name = `\`${engine.address().database}\`.${table}`;
    await client.command({ query: `OPTIMIZE TABLE ${name} FINAL` });
    const result = await client.query({ query: `SELECT count() AS n FROM ${name}` });
    const { data } = await result.json<{ n: string }>();
    expect(data.map(({ n }) => Number(n))).toEqual([20]);
  }
  expect(await subject.readTrace()).toEqual(expectedTree(batch(3)));
}, 60_000);
