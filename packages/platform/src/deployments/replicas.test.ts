import { afterAll, beforeAll, expect, it } from "vitest";
import {
  activate,
  callService,
  deploy,
  takeDown,
  workflow,
} from "../server/routes/deployments/testing/deploying.fixture.ts";
import type { TestPlatform } from "../server/testing/test-platform.fixture.ts";
import { startTestPlatform } from "../server/testing/test-platform.fixture.ts";
import { sharedPostgres } from "../stores/testing/shared-databases.fixture.ts";
import { expectAnswer, UNWATCHFUL } from "./testing/replica-answers.fixture.ts";

// Replicas that come and go, and builds that cannot be started: replicas.long.test.ts. Deploys at once, lost locks
// and a database that is away: replica-faults.long.test.ts.

let one: TestPlatform;
let two: TestPlatform;
beforeAll(async () => {
  const registry = await (await sharedPostgres()).createDatabase();
  one = await startTestPlatform({ registry, deploying: UNWATCHFUL });
  two = await startTestPlatform({ registry, deploying: UNWATCHFUL });
});
afterAll(async () => {
  await one.close();
  await two.close();
});

it("serves on every replica what was deployed, activated or stopped through any", async () => {
  expect((await deploy(one, "shop", workflow("first"))).status).toBe(201);
  await expectAnswer(two, "shop").toEqual({ status: 200, text: "first" });
  expect((await deploy(two, "shop", workflow("second"))).json.build.number).toBe(2);
  expect(await callService(two, "shop")).toEqual({ status: 200, text: "second" });
  await expectAnswer(one, "shop").toEqual({ status: 200, text: "second" });

  const back = await activate(two, "shop", 1);
  expect(back.json.build).toMatchObject({ number: 1, status: "live" });
  await expectAnswer(one, "shop").toEqual({ status: 200, text: "first" });

  expect((await takeDown(one, "shop")).status).toBe(204);
  await expectAnswer(two, "shop").toMatchObject({ status: 404 });
  expect((await activate(two, "shop", 2)).status).toBe(200);
  await expectAnswer(one, "shop").toEqual({ status: 200, text: "second" });
});
