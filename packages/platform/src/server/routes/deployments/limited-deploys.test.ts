import { afterAll, beforeAll, expect, it } from "vitest";
import { buildArchive } from "../../../deployments/builds/testing/build-archive.fixture.ts";
import type { TestPlatform } from "../../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../../testing/test-platform.fixture.ts";
import { at, deploy, workflow } from "./testing/deploying.fixture.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

it("a key that is limited to environments deploys, activates and stops builds there alone", async () => {
  const first = await deploy(platform, "shop", workflow("one"), { environment: "production" });
  expect(first.status, first.body.toString()).toBe(201);
  const { key } = await platform.access.keys.create("default", {
    name: "ci",
    scopes: ["deploy"],
    environments: ["staging"],
  });
  const authorization = `Bearer ${key}`;
  const archive = await buildArchive({
    files: { "app.js": workflow("two"), "package.json": '{"type":"module"}' },
  });
  const json = { authorization, "content-type": "application/json" };
  const statuses = async (environment: string) => [
    await platform.send({
      method: "POST",
      path: at("shop", `/builds?environment=${environment}`),
      headers: { authorization, "content-type": "application/gzip" },
      body: archive,
    }),
    await platform.send({
      method: "POST",
      path: at("shop", "/builds/1/activate"),
      headers: json,
      body: JSON.stringify({ environment }),
    }),
    await platform.send({
      method: "DELETE",
      path: at("shop", `/builds/live?environment=${environment}`),
      headers: json,
    }),
  ];
  const beyond = await statuses("production");
  expect(beyond.map(({ status }) => status)).toEqual([403, 403, 403]);
  expect(beyond.map(({ json: { detail } }) => detail[0].type)).toEqual(
    Array(3).fill("environment_not_allowed"),
  );
  const missing = await statuses("nowhere");
  expect(missing.map(({ status }) => status)).toEqual([404, 404, 404]);
  expect(missing.map(({ json: { detail } }) => detail[0].loc)).toEqual([
    ["query", "environment"],
    ["body", "environment"],
    ["query", "environment"],
  ]);
  const within = await statuses("staging");
  expect(within.map(({ status }) => status)).toEqual([201, 200, 204]);
});
