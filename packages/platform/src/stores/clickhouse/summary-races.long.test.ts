import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { SpanSketch } from "../contract/stored-span.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import { Subject } from "../contract/subject.fixture.ts";
import { openChdbEngine } from "../testing/chdb-engine.fixture.ts";
import { VersionClock } from "./clickhouse-appender.ts";
import { ClickHouseSession } from "./clickhouse-session.ts";
import { openClickHouseStore } from "./clickhouse-store.ts";
import { INCOMING_COLUMNS, SpanEncoder } from "./incoming-span.ts";
import { SummaryWriter } from "./summary-writer.ts";

const engine = openChdbEngine();
const subject = new Subject(() =>
  openClickHouseStore({ address: engine.address(), connect: engine.connect }),
);
const clock = new VersionClock();
const session = new ClickHouseSession(engine.connect(), engine.address());

/** A session whose next insert into `traces` waits until it is released. */
class HeldSession extends ClickHouseSession {
  readonly #reached = Promise.withResolvers<void>();
  readonly #released = Promise.withResolvers<void>();

  override async insert(...parameters: Parameters<ClickHouseSession["insert"]>): Promise<void> {
    if (parameters[0] === "traces") {
      this.#reached.resolve();
      await this.#released.promise;
    }
    return super.insert(...parameters);
  }

  reached(): Promise<void> {
    return this.#reached.promise;
  }

  release(): void {
    this.#released.resolve();
  }
}

/** Begins to make the summary of the trace anew, as another server would, and stops before it is written. */
async function holdRenewal() {
  const held = new HeldSession(engine.connect(), engine.address());
  const renewed = new SummaryWriter(held).renew(subject.project, [traceIdOf(1)]);
  await held.reached();
  return {
    finish: async () => {
      held.release();
      await renewed;
      await held.close();
    },
  };
}

/** Spans of another server, which has not made their summary yet. */
async function writeElsewhere(...sketches: SpanSketch[]): Promise<void> {
  const version = clock.next();
  const writes = sketches.map((sketch) => ({
    version,
    receivedAt: 1_000_000,
    span: storedSpan(sketch),
  }));
  const spans = new SpanEncoder().encode(subject.project, writes, (_, error) =>
    expect.fail(String(error)),
  );
  await session.insertBlock("incoming", INCOMING_COLUMNS, spans);
}

/** The names of the traces that the list has, and how many traces analytics count. */
async function shown(): Promise<[names: string[], count: number]> {
  const from = storedSpan().start;
  const range = { from, to: from + 1000, interval: 1000 };
  const { project } = subject;
  const { total } = await subject.store.analytics({ project, filter: {}, groups: null, ...range });
  return [await subject.namesOf("listTraces", {}), total.count];
}

beforeAll(() => subject.open());
beforeEach(() => subject.fresh());
afterAll(async () => {
  await subject.store.close();
  await session.close();
  await engine.dispose();
});

it("lists no trace that was deleted while its summary was being made", async () => {
  await subject.append([storedSpan()]);
  const renewal = await holdRenewal();
  expect(await subject.store.deleteTrace(subject.project, traceIdOf(1))).toEqual({
    kind: "deleted",
  });
  await renewal.finish();
  expect(await shown()).toEqual([[], 0]);
  await subject.append([storedSpan({ name: "sent again" })]);
  expect(await shown()).toEqual([["sent again"], 1]);
});

it("lists what was written after a deletion once, despite an older summary", async () => {
  await subject.append([storedSpan({ name: "old", start: 5 })]);
  const renewal = await holdRenewal();
  await subject.store.deleteTrace(subject.project, traceIdOf(1));
  await subject.append([storedSpan({ name: "new", id: spanIdOf(2), start: 9 })]);
  await renewal.finish();
  expect(await shown()).toEqual([["new"], 1]);
});

it("lists a trace once whose top was moved twice while its summary was being made", async () => {
  await subject.append([storedSpan({ name: "first", start: 10 })]);
  await writeElsewhere({ name: "second", start: 20 });
  const renewal = await holdRenewal();
  await subject.append([storedSpan({ name: "third", start: 30 })]);
  await renewal.finish();
  expect(await shown()).toEqual([["third"], 1]);
});
