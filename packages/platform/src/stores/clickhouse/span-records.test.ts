import { afterAll, beforeAll, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import { Subject } from "../contract/subject.fixture.ts";
import { TraceGoneError } from "../span-store.ts";
import { openChdbEngine } from "../testing/chdb-engine.fixture.ts";
import { openClickHouseStore } from "./clickhouse-store.ts";

const engine = openChdbEngine();
const subject = new Subject(() =>
  openClickHouseStore({ address: engine.address(), connect: engine.connect }),
);
beforeAll(() => subject.open());
afterAll(async () => {
  await subject.store.close();
  await engine.dispose();
});

it("reads the records of a large trace in any order, as they were last written", async () => {
  subject.fresh();
  const spans = Array.from({ length: 2_500 }, (_, n) =>
    storedSpan({ id: spanIdOf(n), parentId: n === 0 ? null : spanIdOf(n >> 1), start: n % 700 }),
  );
  await subject.append(spans);
  const again = storedSpan({ id: spanIdOf(9), start: 9_000, name: "again", inputs: "ünï" });
  await subject.append([again]);
  const last = new Map([...spans, again].map((span) => [span.id, span.openRecord]));
  const focus = { kind: "trace", traceId: traceIdOf(1) } as const;
  const read = await subject.store.readTree(subject.project, focus);
  if (read.kind !== "nodes") throw new Error(`expected nodes, got ${read.kind}`);
  expect(read.nodes).toHaveLength(spans.length);
  const everyThird = Array.from({ length: 2_500 }, (_, n) => (n * 3) % 2_500);
  for (let at = 0; at < 2_500; at += 500) {
    const wanted = everyThird.slice(at, at + 500);
    const records = await read.openRecords(wanted);
    expect(records.map((record) => Buffer.from(record).toString())).toEqual(
      wanted.map((index) => last.get(read.nodes.at(index)?.id ?? "")),
    );
  }
  const subtree = await subject.read({ kind: "span", spanId: spanIdOf(1) });
  expect(subtree?.children).toHaveLength(2);

  const interrupted = await subject.store.readTree(subject.project, focus);
  if (interrupted.kind !== "nodes") throw new Error(`expected nodes, got ${interrupted.kind}`);
  await subject.store.deleteTrace(subject.project, traceIdOf(1));
  await expect(interrupted.openRecords([0])).rejects.toThrow(TraceGoneError);
});
