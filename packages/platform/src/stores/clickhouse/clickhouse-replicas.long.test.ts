import type { ClickHouseClient } from "@clickhouse/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { expectedTree } from "../contract/expected-tree.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import { Subject } from "../contract/subject.fixture.ts";
import { openChdbEngine } from "../testing/chdb-engine.fixture.ts";
import { ClickHouseSession } from "./clickhouse-session.ts";
import { openClickHouseStore } from "./clickhouse-store.ts";
import { INCOMING_COLUMNS, SpanEncoder } from "./incoming-span.ts";
import { SUMMARY_COLUMNS, summaryOf, summaryRow } from "./trace-summary.ts";

const engine = openChdbEngine();
const session = new ClickHouseSession(engine.connect(), engine.address());
/** Runs once, before the next rows are deleted from a table. */
let beforeDeleting: { readonly table: string; readonly run: () => Promise<void> } | undefined;
const subject = new Subject(() =>
  openClickHouseStore({ address: engine.address(), connect: connectWatched }),
);

function connectWatched(): ClickHouseClient {
  const client = engine.connect();
  const command: ClickHouseClient["command"] = async (options) => {
    const due = beforeDeleting;
    if (
      due !== undefined &&
      options.query.includes(`DELETE FROM \`agate-test\`.\`${due.table}\``)
    ) {
      beforeDeleting = undefined;
      await due.run();
    }
    return client.command(options);
  };
  return new Proxy(client, {
    get: (target, name) => {
      if (name === "command") return command;
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

beforeAll(() => subject.open());
afterAll(async () => {
  await subject.store.close();
  await session.close();
  await engine.dispose();
});

it("counts a trace once though another server, which was slower, lists it by its own spans", async () => {
  subject.fresh();
  const { project } = subject;
  const late = {
    version: Date.now() * 1_000,
    receivedAt: 1_000_000,
    span: storedSpan({ id: spanIdOf(1), start: 5 }),
  };
  // The other server's spans are there; before it comes to list them, ours are written and listed.
  const spans = new SpanEncoder().encode(project, [late], (_, error) => expect.fail(String(error)));
  await session.insertBlock("incoming", INCOMING_COLUMNS, spans);
  await subject.append([storedSpan({ id: spanIdOf(2), start: 0 })]);
  await session.insert("traces", SUMMARY_COLUMNS, [summaryRow(project, summaryOf([late]))]);
  expect((await subject.list("listTraces")).items.map(({ id }) => id)).toEqual([spanIdOf(2)]);
  const from = storedSpan().start;
  const range = { from, to: from + 9, interval: 9 };
  const { total } = await subject.store.analytics({ project, filter: {}, groups: null, ...range });
  expect(total.count).toBe(1);
});

it.each(["traces_by_id", "commits"])(
  "keeps all of what another server writes to a trace while its %s are deleted",
  async (table) => {
    subject.fresh();
    const other = await openClickHouseStore({ address: engine.address(), connect: engine.connect });
    const later = storedSpan({ id: spanIdOf(2), start: 5, name: "later" });
    await subject.append([storedSpan({ name: "gone" })]);
    const { project } = subject;
    beforeDeleting = {
      table,
      run: async () => {
        await other.append({ project, receivedAt: 2_000_000, spans: [later] });
      },
    };
    const remove = () => subject.store.deleteTrace(project, traceIdOf(1));
    expect(await remove()).toEqual({ kind: "deleted" });
    await other.close();
    expect(await subject.readTrace()).toEqual(expectedTree([later]));
    expect(await subject.namesOf("listTraces", {})).toEqual(["later"]);
    expect(await subject.namesOf("listSpans", {})).toEqual(["later"]);
    expect((await subject.list("listTraces")).items[0]?.id).toBe(later.id);
    expect(await remove()).toEqual({ kind: "deleted" });
    expect(await subject.readTrace()).toBeUndefined();
  },
);
