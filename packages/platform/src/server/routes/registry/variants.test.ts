import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestPlatform } from "../../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../../testing/test-platform.fixture.ts";
import { faults, makeApplication } from "./testing/registry-client.fixture.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

describe("a variant", () => {
  it("is made without a revision, and found by slug and by id", async () => {
    const app = await makeApplication(platform);
    const made = await app.call("POST", "/variants", { slug: "default" });
    expect(made.status).toBe(201);
    expect(made.json).toMatchObject({ slug: "default", forked_from: null, latest_revision: 0 });
    const { location } = made.headers;
    expect((await platform.get(`${location}`)).json).toEqual(made.json);
    expect((await app.get(`/variants/${made.json.id}/`)).json).toEqual(made.json);
    expect((await app.get("/variants")).json).toEqual({ items: [made.json] });
    expect(faults(await app.call("POST", "/variants", { slug: "default" }))).toEqual([
      409,
      ["slug_taken", "body", "slug"],
    ]);
    expect(faults(await app.call("POST", "/variants", { slug: "De fault" }))).toEqual([
      422,
      ["slug_invalid", "body", "slug"],
    ]);
  });

  it("keeps its id and its revisions when it is renamed, live ones too", async () => {
    const app = await makeApplication(platform);
    await app.commit({ "/": { tone: "plain" } });
    await app.deploy("production");
    const { id } = (await app.get("/variants/default")).json;
    const renamed = await app.call("PATCH", "/variants/default", { slug: "plain" });
    expect(renamed.json).toMatchObject({ id, slug: "plain", latest_revision: 1 });
    const live = (await app.get("/config?environment=production")).json;
    expect(live.variant).toEqual({ id, slug: "plain", revision: 1 });
    expect(faults(await app.get("/variants/default"))).toEqual([
      404,
      ["variant_not_found", "path", "variant"],
    ]);
  });

  it("is deleted once none of its revisions is live", async () => {
    const app = await makeApplication(platform);
    await app.commit({});
    await app.deploy("staging");
    expect(faults(await app.call("DELETE", "/variants/default"))).toEqual([
      409,
      ["still_live", "path", "variant"],
    ]);
    await app.call("DELETE", "/environments/staging/deployment");
    expect((await app.call("DELETE", "/variants/default")).status).toBe(204);
    expect((await app.get("/variants/default/revisions")).status).toBe(404);
  });

  it("is forked at its latest revision, or at the one that is named", async () => {
    const app = await makeApplication(platform);
    await app.commit({ "/": { tone: "plain" } });
    await app.commit({ "/": { tone: "formal" } });
    const { id } = (await app.get("/variants/default")).json;
    const fork = (body: object) => app.call("POST", "/variants/default/fork", body);

    const latest = await fork({ slug: "latest", message: "Try" });
    expect(latest.status).toBe(201);
    expect(latest.json).toMatchObject({
      forked_from: { id, slug: "default", revision: 2 },
      latest_revision: 1,
    });
    const first = (await app.get("/variants/latest/revisions/1")).json;
    expect(first).toMatchObject({ params: { "/": { tone: "formal" } }, message: "Try" });

    const older = await fork({ slug: "older", revision: 1 });
    expect((await platform.get(`${older.headers.location}/revisions/latest`)).json.params).toEqual({
      "/": { tone: "plain" },
    });
    expect(faults(await fork({ slug: "none", revision: 3 }))).toEqual([
      404,
      ["revision_not_found", "body", "revision"],
    ]);
    expect(faults(await fork({ slug: "older" }))[0]).toBe(409);
  });
});
