import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { TestPlatform } from "../../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../../testing/test-platform.fixture.ts";
import { sendJson } from "../registry/testing/registry-client.fixture.ts";
import { activate, at, callService, deploy, workflow } from "./testing/deploying.fixture.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

// Which ones is the registry's answer, and tested with it; here are their files.
it("keeps what each environment had last, however much is deployed elsewhere", async () => {
  const ids: string[] = [];
  const deployed = async (environment: string, word: string) => {
    const { json } = await deploy(platform, "kept", workflow(word), { environment });
    ids.push(json.build.id);
  };
  for (let n = 1; n <= 6; n++) await deployed("production", `production ${n}`);
  for (let n = 1; n <= 11; n++) await deployed("staging", `staging ${n}`);
  const left = async () => {
    const names = await readdir(join(platform.dataDirectory, "builds"));
    return ids.flatMap((id, index) => (names.includes(id) ? [index + 1] : []));
  };
  // Of production its last 5, and the newest 10.
  await expect.poll(left).toEqual([2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]);
  const rollback = at("kept", "/environments/production/rollback");
  const gone = await activate(platform, "kept", 7, { environment: "staging" });
  expect(gone.json.detail[0].msg).toMatch(/^The files of build 7 are no longer kept/);
  expect((await sendJson(platform, "POST", rollback, {})).status).toBe(201);
  expect((await callService(platform, "kept")).text).toBe("production 5");
}, 120_000);
