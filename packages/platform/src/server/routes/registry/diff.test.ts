import { afterAll, beforeAll, expect, it } from "vitest";
import type { TestPlatform } from "../../testing/test-platform.fixture.ts";
import { startTestPlatform, TEST_PROJECT } from "../../testing/test-platform.fixture.ts";
import type { TestApplication } from "./testing/registry-client.fixture.ts";
import { faults, makeApplication } from "./testing/registry-client.fixture.ts";
import { routesOpenapi } from "./testing/workflow-openapi.fixture.ts";

let platform: TestPlatform;
let app: TestApplication;
beforeAll(async () => {
  platform = await startTestPlatform();
  app = await makeApplication(platform);
  await app.commit({ "/": { tone: "plain", topK: 1 }, "/embed": {} });
  await app.commit({ "/": { tone: "formal", bullets: true }, "/embed": {} });
  // Without defaults nothing is added to what the revisions set.
  await platform.registry.applications.putSchema(
    { project: TEST_PROJECT, application: app.slug },
    routesOpenapi({ "/unused": {} }),
    { environment: "production", by: "tests" },
  );
  const revision = { variant: "default", revision: 1 };
  const deployed = await app.call("POST", "/environments/production/deployments", revision);
  expect(deployed.status).toBe(201);
});
afterAll(() => platform.close());

const CHANGES = [
  {
    route: "/",
    fields: [
      { field: "bullets", change: "added", to: true },
      { field: "tone", change: "changed", from: "plain", to: "formal" },
      { field: "topK", change: "removed", from: 1 },
    ],
  },
];

it.each([
  ["default@1", "default@2"],
  ["default@1", "default"],
  ["env:production", "default@latest"],
])("compares %s with %s", async (from, to) => {
  const { status, json } = await app.get(`/diff?from=${from}&to=${encodeURIComponent(to)}`);
  expect(status).toBe(200);
  expect(json).toMatchObject({ from: { revision: 1 }, to: { revision: 2 } });
  expect(json.routes).toEqual(CHANGES);
});

it("finds nothing where nothing differs", async () => {
  expect((await app.get("/diff?from=default&to=default@2")).json.routes).toEqual([]);
});

it("says which of the two is missing", async () => {
  for (const [ref, type] of [
    ["other", "variant_not_found"],
    ["default@3", "revision_not_found"],
    ["env:nowhere", "environment_not_found"],
    ["env:staging", "deployment_not_found"],
  ]) {
    expect(faults(await app.get(`/diff?from=default&to=${ref}`))).toEqual([
      404,
      [type, "query", "to"],
    ]);
    expect(faults(await app.get(`/diff?from=${ref}&to=default`))).toEqual([
      404,
      [type, "query", "from"],
    ]);
  }
});

it("takes two references", async () => {
  expect(faults(await app.get("/diff"))).toEqual([
    422,
    ["value_not_allowed", "query", "from"],
    ["value_not_allowed", "query", "to"],
  ]);
  for (const ref of ["default@x", "default@0", "@1", "env:", "a@1@2"]) {
    expect(faults(await app.get(`/diff?from=default&to=${ref}`))).toEqual([
      422,
      ["value_not_allowed", "query", "to"],
    ]);
  }
});
