import { afterAll, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import { Subject } from "../contract/subject.fixture.ts";
import { openChdbEngine } from "../testing/chdb-engine.fixture.ts";
import { ClickHouseSession } from "./clickhouse-session.ts";
import { openClickHouseStore } from "./clickhouse-store.ts";
import { INCOMING_COLUMNS, SpanEncoder } from "./incoming-span.ts";
import { SUMMARY_COLUMNS, summaryOf, summaryRow } from "./trace-summary.ts";

const engine = openChdbEngine();
const session = new ClickHouseSession(engine.connect(), engine.address());
afterAll(async () => {
  await session.close();
  await engine.dispose();
});

it("puts right what a replica left when it died, and what two of them wrote at once", async () => {
  const subject = new Subject(() =>
    openClickHouseStore({ address: engine.address(), connect: engine.connect }),
  );
  await subject.open();
  await subject.store.close();
  const { project } = subject;
  const version = (Date.now() - 60_000) * 1_000;
  const write = (n: number, span = storedSpan({ traceId: traceIdOf(n) })) => ({
    version: version + n,
    receivedAt: 1_000_000,
    span,
  });
  // Of the first there is no summary. Of the second, two writers each saw only their own span. The fourth
  // was deleted while its summary was made: there is nothing else of it.
  const later = write(3, storedSpan({ traceId: traceIdOf(2), id: spanIdOf(2), start: 5 }));
  const writes = [write(1), write(2), later];
  const spans = new SpanEncoder().encode(project, writes, (_, error) => expect.fail(String(error)));
  await session.insertBlock("incoming", INCOMING_COLUMNS, spans);
  await session.insert(
    "traces",
    SUMMARY_COLUMNS,
    [...writes.slice(1), write(4)].map((one) => summaryRow(project, summaryOf([one]))),
  );
  // The keeper leaves alone what was written in the last seconds.
  const written = "ALTER TABLE traces_by_id UPDATE written = now64(6) - 60 WHERE 1";
  await session.command(
    written.replace("traces_by_id", session.table("traces_by_id")),
    {},
    {
      mutations_sync: "1",
    },
  );
  await subject.open();
  const listed = async () => (await subject.list("listTraces")).items.map((item) => item.trace_id);
  const counted = async () => {
    const from = storedSpan().start;
    const range = { from, to: from + 1000, interval: 1000 };
    const asked = { project, filter: {}, groups: null, ...range };
    return (await subject.store.analytics(asked)).total.count;
  };
  await expect.poll(listed).toEqual([2, 1].map(traceIdOf));
  await expect.poll(counted).toBe(2);
  await subject.store.close();
});
