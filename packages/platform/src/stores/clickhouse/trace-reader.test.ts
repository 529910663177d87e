import type { ClickHouseClient } from "@clickhouse/client";
import { afterAll, expect, it } from "vitest";
import { assemble } from "../contract/expected-tree.fixture.ts";
import { storedScore } from "../contract/stored-score.fixture.ts";
import { storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import { openChdbEngine } from "../testing/chdb-engine.fixture.ts";
import { openClickHouseStore } from "./clickhouse-store.ts";

const engine = openChdbEngine();
afterAll(engine.dispose);

it("reads a trace with its scores in one statement, each score as it was last written", async () => {
  const statements: string[] = [];
  const connect = (): ClickHouseClient =>
    new Proxy(engine.connect(), {
      get(client, name) {
        if (name !== "query") return Reflect.get(client, name).bind(client);
        return (parameters: Parameters<ClickHouseClient["query"]>[0]) => {
          statements.push(parameters.query);
          return client.query(parameters);
        };
      },
    });
  const store = await openClickHouseStore({ address: engine.address(), connect });
  const ofTrace = () =>
    statements.splice(0).filter((query) => /\b(spans|scores)`[^_]/.test(query)).length;
  await store.append({ project: "p", receivedAt: 1, spans: [storedSpan()] });
  // Of the same moment, two are in the order of their ids, by the bytes of UTF-8.
  const sketches = [
    { id: "\u{1f600}", name: "fourth", createdAt: 2 },
    { id: "\uffff", name: "third", createdAt: 2 },
    { id: "b", name: "second", createdAt: 1, value: 0 },
    { id: "z", name: "first", createdAt: 0 },
  ];
  for (const sketch of [...sketches, { id: "b", name: "second", createdAt: 1, value: 7 }]) {
    expect(await store.putScores({ project: "p", scores: [storedScore(sketch)] })).toEqual({
      kind: "committed",
    });
  }
  ofTrace();
  const read = await store.readTree("p", { kind: "trace", traceId: traceIdOf(1) });
  const scores = (await assemble(read))?.metadata.scores;
  expect(ofTrace()).toBe(1);
  expect(scores?.map(({ name, value }) => [name, value])).toEqual([
    ["first", 1],
    ["second", 7],
    ["third", 1],
    ["fourth", 1],
  ]);
  await store.close();
});
