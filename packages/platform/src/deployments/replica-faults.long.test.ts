import { afterAll, beforeAll, expect, it } from "vitest";
import {
  at,
  callService,
  deploy,
  workflow,
} from "../server/routes/deployments/testing/deploying.fixture.ts";
import type { TestPlatform } from "../server/testing/test-platform.fixture.ts";
import { startTestPlatform } from "../server/testing/test-platform.fixture.ts";
import type { PostgresAddress } from "../stores/store-address.ts";
import type { PostgresServer } from "../stores/testing/embedded-postgres.fixture.ts";
import { startPostgres } from "../stores/testing/shared-databases.fixture.ts";
import { makeGate } from "./testing/gate.fixture.ts";
import { expectAnswer, statusesOf, UNWATCHFUL } from "./testing/replica-answers.fixture.ts";

let postgres: PostgresServer;
let registry: PostgresAddress;
let one: TestPlatform;
let two: TestPlatform;
beforeAll(async () => {
  postgres = await startPostgres();
  registry = await postgres.createDatabase();
  one = await startTestPlatform({ registry, deploying: UNWATCHFUL });
  two = await startTestPlatform({ registry, deploying: UNWATCHFUL });
});
afterAll(async () => {
  await one.close();
  await two.close();
  await postgres.dispose();
});

it("deploys one after the other what comes through several at once, and the last one serves", async () => {
  const words = ["a", "b", "c", "d"];
  const responses = await Promise.all(
    words.map((word, n) => deploy(n % 2 === 0 ? one : two, "crowded", workflow(word))),
  );
  expect(responses.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  const numbers: number[] = responses.map(({ json }) => json.build.number);
  const { items: history } = (await one.get(at("crowded", "/deployments"))).json;
  const last: number = history[0].build.number;
  expect(await statusesOf(one, "crowded")).toEqual(
    [4, 3, 2, 1].map((number) => [number, number === last ? "live" : "retired"]),
  );
  for (const platform of [one, two]) {
    await expectAnswer(platform, "crowded").toEqual({
      status: 200,
      text: words[numbers.indexOf(last)],
    });
  }
});

it("lets only one of two serve where a replica has lost its turn in the middle of a deploy", async () => {
  await using gate = await makeGate();
  const late = deploy(one, "torn", workflow("late", { before: gate.wait }));
  // It has the lock of the environment by then.
  await gate.reached;
  expect(await statusesOf(two, "torn")).toEqual([[1, "starting"]]);
  await postgres.query(
    registry,
    "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted",
  );
  expect((await deploy(two, "torn", workflow("other"))).json.build.number).toBe(2);
  gate.open();
  const refused = await late;
  expect(refused.status).toBe(409);
  expect(refused.json.detail).toMatchObject([{ type: "deploy_superseded" }]);
  expect(await statusesOf(one, "torn")).toEqual([
    [2, "live"],
    [1, "refused"],
  ]);
  for (const platform of [one, two]) {
    await expectAnswer(platform, "torn").toEqual({ status: 200, text: "other" });
  }
});

it("serves on while the database is away, and catches up when it is back", async () => {
  await deploy(one, "patient", workflow("before"));
  await expectAnswer(two, "patient").toMatchObject({ text: "before" });
  await postgres.kill();
  expect(await callService(one, "patient")).toEqual({ status: 200, text: "before" });
  const refused = await deploy(one, "patient", workflow("in vain"));
  expect(refused.status).toBe(503);
  expect(refused.headers["retry-after"]).toBeDefined();
  await postgres.start();
  expect((await deploy(one, "patient", workflow("after"))).status).toBe(201);
  await expectAnswer(two, "patient").toEqual({ status: 200, text: "after" });
});
