import { afterAll, beforeAll, expect, it } from "vitest";
import type { TestPlatform } from "../../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../../testing/test-platform.fixture.ts";
import {
  at,
  callService,
  deploy,
  logsOf,
  takeDown,
  workflow,
} from "./testing/deploying.fixture.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform({ processes: { sleepMs: 500 } });
});
afterAll(() => platform.close());

async function servers(application: string) {
  return (await platform.get(at(application, "/servers"))).json.items;
}

it("tells what each server runs, while environments but the default one sleep and wake", async () => {
  expect((await deploy(platform, "sleepy", workflow("one"))).status).toBe(201);
  const staging = { environment: "staging" };
  expect((await deploy(platform, "sleepy", workflow("two"), staging)).status).toBe(201);
  const shown = async () =>
    (await servers("sleepy")).map((each: Record<string, unknown>) => [
      each.environment,
      each.build,
      each.state,
      each.processes,
    ]);
  // By then production, too, has not been called for as long.
  await expect.poll(shown).toEqual([
    ["staging", 2, "idle", 0],
    ["production", 1, "serving", 1],
  ]);
  expect(await callService(platform, "sleepy", "staging")).toEqual({ status: 200, text: "two" });
  expect(await callService(platform, "sleepy")).toEqual({ status: 200, text: "one" });
  const lines = (await logsOf(platform, "sleepy", "?build=2")).map(({ line }) => line);
  expect(lines).toContain("Sleeping, after 0 min without a call. The next call starts it.");
});

it("tells of crash loops, and nothing of what was taken down", async () => {
  const crashing = workflow("one", { handle: "process.exit(3);" });
  expect((await deploy(platform, "crashing", crashing)).status).toBe(201);
  await expect.poll(() => servers("crashing")).toMatchObject([{ state: "serving", restarts: 0 }]);
  await callService(platform, "crashing");
  await expect
    .poll(() => servers("crashing"))
    .toMatchObject([
      {
        environment: "production",
        restarts: 1,
        last_exit: "It ended with code 3.",
        server: expect.stringMatching(/-[0-9a-f]{4}$/),
      },
    ]);
  await takeDown(platform, "crashing");
  await expect.poll(() => servers("crashing")).toEqual([]);
});

it("answers 404 for an application that there is not", async () => {
  expect((await platform.get(at("nope", "/servers"))).json.detail[0].type).toBe(
    "application_not_found",
  );
});
