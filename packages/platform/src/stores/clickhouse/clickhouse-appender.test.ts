import type { ClickHouseClient } from "@clickhouse/client";
import { afterAll, expect, it } from "vitest";
import { assemble } from "../contract/expected-tree.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import { openChdbEngine } from "../testing/chdb-engine.fixture.ts";
import { openClickHouseStore } from "./clickhouse-store.ts";

const engine = openChdbEngine();
afterAll(engine.dispose);

it("writes two groups at a time, the second of many spans, and none to a trace that is being written", async () => {
  const begun = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  let inserts = 0;
  /** Holds the first insert of spans. */
  const connect = (): ClickHouseClient =>
    new Proxy(engine.connect(), {
      get(client, name) {
        if (name !== "exec") return Reflect.get(client, name).bind(client);
        return async (parameters: Parameters<ClickHouseClient["exec"]>[0]) => {
          inserts++;
          begun.resolve();
          if (inserts === 1) await held.promise;
          return client.exec(parameters);
        };
      },
    });
  const store = await openClickHouseStore({ address: engine.address(), connect });
  const append = (trace: number, name: string, spans = 1) =>
    store.append({
      project: "p",
      receivedAt: 1,
      spans: Array.from({ length: spans }, (_, n) =>
        storedSpan({ traceId: traceIdOf(trace), id: spanIdOf(trace + 10 * n), name }),
      ),
    });

  const first = append(1, "first");
  await begun.promise;
  const again = append(1, "again");
  // So many that they do not wait for the first.
  expect(await append(2, "other", 2_000)).toEqual({ kind: "committed" });
  const few = append(3, "few", 1_999);
  await new Promise((resolve) => setImmediate(resolve));
  expect(inserts).toBe(2);
  held.resolve();
  for (const outcome of await Promise.all([first, again, few])) {
    expect(outcome).toEqual({ kind: "committed" });
  }
  expect(inserts).toBe(3);
  const read = await store.readTree("p", { kind: "trace", traceId: traceIdOf(1) });
  expect((await assemble(read))?.name).toBe("again");
  await store.close();
});
