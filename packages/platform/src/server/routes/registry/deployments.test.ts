import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestPlatform } from "../../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../../testing/test-platform.fixture.ts";
import type { TestApplication } from "./testing/registry-client.fixture.ts";
import { APPLICATIONS, faults, makeApplication } from "./testing/registry-client.fixture.ts";
import { workflowOpenapi } from "./testing/workflow-openapi.fixture.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

/** Three revisions of `default`. */
async function threeRevisions(): Promise<TestApplication> {
  const app = await makeApplication(platform);
  for (let n = 1; n <= 3; n++) await app.commit({ "/": { n } });
  return app;
}

function deploy(app: TestApplication, environment: string, body: object) {
  return app.call("POST", `/environments/${environment}/deployments`, body);
}

async function liveIn(app: TestApplication, environment: string): Promise<unknown> {
  return (await app.get(`/config?environment=${environment}`)).json.params?.["/"]?.n;
}

describe("a deployment", () => {
  it("pins one revision; later commits do not change it", async () => {
    const app = await threeRevisions();
    const made = await deploy(app, "production", { variant: "default", message: "Go" });
    expect(made.status).toBe(201);
    expect(made.headers.location).toBe(`${APPLICATIONS}/${app.slug}/environments/production`);
    expect(made.json).toMatchObject({
      environment: "production",
      variant: { slug: "default", revision: 3 },
      kind: "deploy",
      message: "Go",
      deployed_by: "local",
      promoted_from: null,
      rolled_back_to: null,
      ended_at: null,
    });
    await app.commit({ "/": { n: 4 } });
    expect(await liveIn(app, "production")).toBe(3);
    const { id } = (await app.get("/variants/default")).json;
    await deploy(app, "production", { variant: id, revision: 1 });
    expect(await liveIn(app, "production")).toBe(1);
    const [live, before] = (await app.get("/environments/production/deployments")).json.items;
    expect(live.ended_at).toBeNull();
    expect(before).toEqual({ ...made.json, ended_at: live.deployed_at });
    expect((await app.get("/environments/production")).json.deployment).toEqual(live);
  });

  it("is promoted from another environment", async () => {
    const app = await threeRevisions();
    const promote = (from: string) =>
      app.call("POST", "/environments/production/promote", { from, message: "Good" });
    await deploy(app, "staging", { variant: "default", revision: 2 });
    const promoted = await promote("staging");
    expect(promoted.status).toBe(201);
    expect(promoted.json).toMatchObject({
      kind: "promotion",
      promoted_from: "staging",
      variant: { revision: 2 },
    });
    expect(await liveIn(app, "production")).toBe(2);
    expect(faults(await promote("development"))).toEqual([
      404,
      ["deployment_not_found", "body", "from"],
    ]);
    expect(faults(await promote("nowhere"))).toEqual([
      404,
      ["environment_not_found", "body", "from"],
    ]);
  });

  it("is rolled back to the one before, or to any earlier one", async () => {
    const app = await threeRevisions();
    const rollBack = (body: object) => app.call("POST", "/environments/production/rollback", body);
    const [first] = [
      await deploy(app, "production", { variant: "default", revision: 1 }),
      await deploy(app, "production", { variant: "default", revision: 2 }),
      await deploy(app, "production", { variant: "default", revision: 3 }),
    ];
    const back = await rollBack({ message: "Too slow" });
    expect(back.status).toBe(201);
    expect(back.json).toMatchObject({
      kind: "rollback",
      variant: { revision: 2 },
      message: "Too slow",
    });
    expect(await liveIn(app, "production")).toBe(2);
    const further = await rollBack({ deployment: first?.json.id });
    expect(further.json).toMatchObject({
      rolled_back_to: first?.json.id,
      variant: { revision: 1 },
    });
    expect(await liveIn(app, "production")).toBe(1);
    for (const deployment of ["dep_aaaaaaaaaaaaaaaaaaaa", "nonsense", ""]) {
      expect(faults(await rollBack({ deployment }))).toEqual([
        404,
        ["deployment_not_found", "body", "deployment"],
      ]);
    }
  });

  it("is taken down, and then nothing is there", async () => {
    const app = await threeRevisions();
    await app.deploy("production");
    const takeDown = () => app.call("DELETE", "/environments/production/deployment");
    expect((await takeDown()).status).toBe(204);
    expect(faults(await app.get("/config?environment=production"))).toEqual([
      404,
      ["deployment_not_found", "query", "environment"],
    ]);
    expect(faults(await takeDown())).toEqual([
      404,
      ["deployment_not_found", "path", "environment"],
    ]);
    expect((await app.get("/environments/production")).json.deployment).toBeNull();
  });

  it("names what is missing", async () => {
    const app = await threeRevisions();
    for (const [environment, body, ...fault] of [
      ["nowhere", { variant: "default" }, "environment_not_found", "path", "environment"],
      ["production", { variant: "other" }, "variant_not_found", "body", "variant"],
      ["production", { variant: "default", revision: 4 }, "revision_not_found", "body", "revision"],
    ] as const) {
      expect(faults(await deploy(app, environment, body))).toEqual([404, fault]);
    }
  });

  it("is refused where its revision does not satisfy the schema, whichever way it comes", async () => {
    const app = await makeApplication(platform);
    await app.commit({ "/summarize": { temperature: 9 } });
    await app.commit({ "/summarize": { temperature: 1 } });
    await deploy(app, "staging", { variant: "default", revision: 1 });
    await deploy(app, "staging", { variant: "default", revision: 2 });
    expect((await app.call("PUT", "/schema", workflowOpenapi())).status).toBe(200);
    const refused = await deploy(app, "production", { variant: "default", revision: 1 });
    expect(refused.status).toBe(409);
    expect(refused.json.detail[0]).toMatchObject({ type: "config_invalid" });
    expect(refused.json.detail[0].msg).toMatch(
      /production would run default@1, .*\/summarize\.temperature is 9, and must be 2 or less\.$/,
    );
    const back = await app.call("POST", "/environments/staging/rollback", {});
    expect(back.json.detail[0]).toMatchObject({ type: "config_invalid" });
    expect((await app.get("/environments/staging")).json.deployment.variant.revision).toBe(2);
  });

  it("is listed with those of all environments, newest first, page by page", async () => {
    const app = await threeRevisions();
    for (const environment of ["staging", "production", "staging", "development"]) {
      await app.deploy(environment);
    }
    const environments: string[] = [];
    let cursor = "";
    do {
      const page = (await app.get(`/deployments?limit=3&cursor=${cursor}`)).json;
      environments.push(...page.items.map((item: { environment: string }) => item.environment));
      cursor = page.next_cursor ?? "";
    } while (cursor !== "");
    expect(environments).toEqual(["development", "staging", "production", "staging"]);
    expect((await app.get("/environments/staging/deployments")).json.items).toHaveLength(2);
    expect(faults(await app.get("/environments/nowhere/deployments"))[0]).toBe(404);
  });
});
