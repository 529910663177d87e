import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestPlatform } from "../../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../../testing/test-platform.fixture.ts";
import { faults, makeApplication } from "./testing/registry-client.fixture.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

describe("an environment", () => {
  it("is made beside the first three, and found by slug and by id", async () => {
    const app = await makeApplication(platform);
    const made = await app.call("POST", "/environments", { slug: "preview" });
    expect(made.status).toBe(201);
    expect(made.json).toMatchObject({ slug: "preview", deployment: null });
    expect((await platform.get(`${made.headers.location}`)).json).toEqual(made.json);
    expect((await app.get(`/environments/${made.json.id}`)).json).toEqual(made.json);
    expect((await app.get("/environments/")).json.items).toHaveLength(4);
    expect(faults(await app.call("POST", "/environments", { slug: "preview" }))).toEqual([
      409,
      ["slug_taken", "body", "slug"],
    ]);
    expect(faults(await app.call("POST", "/environments", { slug: "pre view" }))).toEqual([
      422,
      ["slug_invalid", "body", "slug"],
    ]);
  });

  it("keeps its id, what is live and its history when it is renamed", async () => {
    const app = await makeApplication(platform);
    await app.commit({});
    const deployment = await app.deploy("production");
    const { id } = (await app.get("/environments/production")).json;
    const renamed = await app.call("PATCH", "/environments/production", { slug: "live" });
    expect(renamed.json).toMatchObject({
      id,
      slug: "live",
      deployment: { ...deployment, environment: "live" },
    });
    expect((await app.get("/environments/live/deployments")).json.items).toHaveLength(1);
    expect(faults(await app.get("/environments/production"))).toEqual([
      404,
      ["environment_not_found", "path", "environment"],
    ]);
  });

  it("switches its playground, alone or with its name, and keeps what is live", async () => {
    const app = await makeApplication(platform);
    await app.commit({});
    const deployment = await app.deploy("staging");
    const change = (body: object) => app.call("PATCH", "/environments/staging", body);
    const off = await change({ playground: false });
    expect([off.status, off.json]).toMatchObject([
      200,
      { slug: "staging", playground: false, deployment },
    ]);
    expect((await app.get("/environments/staging")).json).toEqual(off.json);
    expect((await app.get("/environments/development")).json.playground).toBe(true);
    // Off in production from the beginning.
    expect((await app.get("/environments/production")).json.playground).toBe(false);
    expect((await change({})).json).toEqual(off.json);
    const both = await change({ slug: "preview", playground: true });
    expect(both.json).toMatchObject({ id: off.json.id, slug: "preview", playground: true });
    const unclear = await app.call("PATCH", "/environments/preview", { playground: "on" });
    expect(faults(unclear)).toEqual([422, ["body_invalid", "body", "playground"]]);
    expect(unclear.json.detail[0].msg).toBe('Must be true or false (got "on").');
    expect(faults(await change({ playground: true }))).toEqual([
      404,
      ["environment_not_found", "path", "environment"],
    ]);
    const variant = await app.call("PATCH", "/variants/default", { playground: true });
    expect(variant.status).toBe(422);
  });

  it("is deleted once nothing is live there", async () => {
    const app = await makeApplication(platform);
    await app.commit({});
    await app.deploy("staging");
    expect(faults(await app.call("DELETE", "/environments/staging"))).toEqual([
      409,
      ["still_live", "path", "environment"],
    ]);
    await app.call("DELETE", "/environments/staging/deployment");
    expect((await app.call("DELETE", "/environments/staging")).status).toBe(204);
    expect((await app.get("/environments/staging")).status).toBe(404);
  });
});
