import { afterAll, beforeAll, expect, it } from "vitest";
import type { TestPlatform } from "../../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../../testing/test-platform.fixture.ts";
import { APPLICATIONS, faults, makeApplication } from "./testing/registry-client.fixture.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

it("commits configurations of scorers, lists them, and shows each", async () => {
  const app = await makeApplication(platform);
  expect((await app.get("/scorers")).json).toEqual({ items: [], next_cursor: null });
  expect((await app.get("/scorers/latest")).status).toBe(404);
  const configs = { helpful: { rubric: "Is it solved?" } };
  const made = await app.call("POST", "/scorers", { configs, base_revision: 0, message: "First" });
  expect(made.status).toBe(201);
  expect(made.headers.location).toBe(`${APPLICATIONS}/${app.slug}/scorers/1`);
  expect(made.json).toMatchObject({ revision: 1, configs, message: "First", created_by: "local" });
  for (const name of ["1", "latest"]) {
    expect((await app.get(`/scorers/${name}`)).json).toEqual(made.json);
  }
  const again = await app.call("POST", "/scorers", { configs: {}, base_revision: 0 });
  expect(again.status).toBe(409);
  const { configs: _, ...listed } = made.json;
  expect((await app.get("/scorers")).json.items).toEqual([listed]);
  const wrong = await app.call("POST", "/scorers", { configs: { helpful: 1 }, base_revision: 1 });
  expect(faults(wrong)).toEqual([422, ["params_invalid", "body", "configs", "helpful"]]);
});
