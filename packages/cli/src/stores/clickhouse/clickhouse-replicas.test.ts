import { afterAll, expect, it } from "vitest";
import { spanIdOf, storedSpan } from "../contract/stored-span.fixture.ts";
import { Subject } from "../contract/subject.fixture.ts";
import { openChdbEngine } from "../testing/chdb-engine.fixture.ts";
import { ClickHouseSession } from "./clickhouse-session.ts";
import { openClickHouseStore } from "./clickhouse-store.ts";
import { INCOMING_COLUMNS, incomingRow } from "./incoming-rows.ts";
import { SUMMARY_COLUMNS, summaryOf, summaryRow } from "./trace-summary.ts";

const engine = openChdbEngine();
const session = new ClickHouseSession(engine.connect(), engine.address());
const subject = new Subject(() =>
  openClickHouseStore({ address: engine.address(), connect: engine.connect }),
);
afterAll(async () => {
  await subject.store.close();
  await session.close();
  await engine.dispose();
});

it("counts a trace once though another server, which was slower, lists it by its own spans", async () => {
  await subject.open();
  const { project } = subject;
  const late = {
    version: Date.now() * 1_000,
    receivedAt: 1_000_000,
    span: storedSpan({ id: spanIdOf(1), start: 5 }),
  };
  // The other server's spans are there; before it comes to list them, ours are written and listed.
  await session.insert("incoming", INCOMING_COLUMNS, [incomingRow(project, late)]);
  await subject.append([storedSpan({ id: spanIdOf(2), start: 0 })]);
  await session.insert("traces", SUMMARY_COLUMNS, [summaryRow(project, summaryOf([late]))]);
  expect((await subject.list("listTraces")).items.map(({ id }) => id)).toEqual([spanIdOf(2)]);
  const from = storedSpan().start;
  const range = { from, to: from + 9, interval: 9 };
  const { total } = await subject.store.analytics({ project, filter: {}, groups: null, ...range });
  expect(total.count).toBe(1);
});
