import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestPlatform } from "../../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../../testing/test-platform.fixture.ts";
import type { TestApplication } from "./testing/registry-client.fixture.ts";
import { APPLICATIONS, faults, makeApplication } from "./testing/registry-client.fixture.ts";
import { openapiOf, workflowOpenapi } from "./testing/workflow-openapi.fixture.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

const OPENAPI = openapiOf({ "/": { n: 0 } });

/** Three revisions of `default`, and a workflow that runs elsewhere in these environments. */
async function threeRevisions(
  environments: readonly string[] = ["staging", "production"],
): Promise<TestApplication> {
  const app = await makeApplication(platform);
  for (let n = 1; n <= 3; n++) await app.commit({ "/": { n } });
  for (const environment of environments) {
    expect((await app.call("PUT", `/schema?environment=${environment}`, OPENAPI)).status).toBe(200);
  }
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
      build: { number: 1, kind: "external" },
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
      build: { number: 1 },
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

  it("needs code in its environment, and says how it gets there", async () => {
    const app = await threeRevisions(["staging"]);
    const refused = await deploy(app, "production", { variant: "default" });
    expect(faults(refused)).toEqual([409, ["build_missing", "path", "environment"]]);
    expect(refused.json.detail[0].msg).toMatch(
      /agate deploy app\.ts --environment production.*\/schema\?environment=production/s,
    );
    expect((await app.get("/environments/production")).json.deployment).toBeNull();
    const moved = { from: "staging", config_only: true };
    expect(faults(await app.call("POST", "/environments/production/promote", moved))).toEqual([
      409,
      ["build_missing", "path", "environment"],
    ]);
  });

  it("is refused where its revision does not satisfy the schema, whichever way it comes", async () => {
    const app = await makeApplication(platform);
    await app.commit({ "/summarize": { temperature: 9 } });
    await app.commit({ "/summarize": { temperature: 1 } });
    const put = (environment: string, openapi: object) =>
      app.call("PUT", `/schema?environment=${environment}`, openapi);
    const any = openapiOf({ "/summarize": { temperature: 0 } });
    expect((await put("staging", any)).status).toBe(200);
    await deploy(app, "staging", { variant: "default", revision: 1 });
    await deploy(app, "staging", { variant: "default", revision: 2 });
    for (const environment of ["staging", "production"]) {
      expect((await put(environment, workflowOpenapi())).status).toBe(200);
    }
    const refused = await deploy(app, "production", { variant: "default", revision: 1 });
    expect(refused.status).toBe(409);
    expect(refused.json.detail[0]).toMatchObject({ type: "config_invalid" });
    expect(refused.json.detail[0].msg).toMatch(
      /production would run default@1, .*\/summarize\.temperature is 9, and must be 2 or less\.$/,
    );
    const back = await app.call("POST", "/environments/staging/rollback", { config_only: true });
    expect(back.json.detail[0]).toMatchObject({ type: "config_invalid" });
    expect((await app.get("/environments/staging")).json.deployment.variant.revision).toBe(2);
  });

  it("is listed with those of all environments, newest first, page by page", async () => {
    const app = await threeRevisions([]);
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

describe("with a key that is limited to environments", () => {
  const calls = async (app: TestApplication, environments: readonly string[]) => {
    const { key } = await platform.access.keys.create("default", {
      name: "ci",
      scopes: ["admin", "deploy", "read"],
      environments,
    });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    return (method: string, path: string, body?: object) =>
      platform.send({
        method,
        path: `${APPLICATIONS}/${app.slug}${path}`,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
  };

  it.each([
    ["the environment of every application", () => ["staging"]],
    ["the environment of this application", (slug: string) => [`${slug}/staging`]],
  ])("deploys, configures and rolls back there alone: %s", async (_, limitOf) => {
    const app = await threeRevisions();
    await deploy(app, "production", { variant: "default", revision: 1 });
    const call = await calls(app, limitOf(app.slug));
    const { id } = (await app.get("/environments/production")).json;
    for (const [environment, isAllowed] of [
      ["staging", true],
      ["production", false],
      [id, false],
    ] as const) {
      const path = `/environments/${environment}`;
      const deployment = { variant: "default", revision: 2 };
      const answers = [
        await call("POST", `${path}/deployments`, deployment),
        await call("POST", `${path}/promote`, { from: "production" }),
        await call("POST", `${path}/rollback`, {}),
        await call("GET", `/config?environment=${environment}`),
        await call("DELETE", `${path}/deployment`),
      ];
      const expected = isAllowed ? [201, 201, 201, 200, 204] : [403, 403, 403, 403, 403];
      expect(answers.map(({ status }) => status)).toEqual(expected);
      if (isAllowed) continue;
      for (const { json } of answers) {
        expect(json.detail[0].type).toBe("environment_not_allowed");
        expect(json.detail[0].msg).toContain(`this is ${app.slug}/production`);
      }
    }
    expect(await liveIn(app, "production")).toBe(1);
  });

  it("does nothing in an environment of the same name of another application", async () => {
    const app = await threeRevisions();
    const call = await calls(app, ["other/staging"]);
    const response = await call("POST", "/environments/staging/deployments", {
      variant: "default",
    });
    expect(response.status).toBe(403);
    expect((await call("POST", "/environments/nowhere/deployments", { variant: "x" })).status).toBe(
      404,
    );
  });

  it("cannot widen its reach by renaming", async () => {
    const app = await threeRevisions([]);
    const call = await calls(app, ["staging"]);
    await app.call("DELETE", "/environments/staging");
    const answers = [
      await call("PATCH", "/environments/production", { slug: "staging" }),
      await call("PATCH", "", { slug: "renamed" }),
      await call("DELETE", "/environments/development"),
      await call("DELETE", ""),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  });
});
