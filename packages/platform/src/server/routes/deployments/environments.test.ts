import { afterAll, describe, expect, it } from "vitest";
import { startTestPlatform } from "../../testing/test-platform.fixture.ts";
import { faults, sendJson } from "../registry/testing/registry-client.fixture.ts";
import { workflowOpenapi } from "../registry/testing/workflow-openapi.fixture.ts";
import { activate, at, buildsOf, callService, deploy } from "./testing/deploying.fixture.ts";
import type { Said } from "./testing/environments.fixture.ts";
import { environmentsOn, inEnvironment, telling } from "./testing/environments.fixture.ts";

const platform = await startTestPlatform();
const { ask, commit, deploymentIn, promote, rollBack, twoPairs } = environmentsOn(platform);
afterAll(() => platform.close());

it("has the schema of each build, live or not, and of none that never started", async () => {
  await deploy(platform, "described", telling("one"));
  const first = (await platform.get(at("described", "/schema"))).json;
  expect(first.routes[0].config).toHaveProperty("temperature");
  expect((await deploy(platform, "described", "throw new Error('no')")).status).toBe(422);
  const tone = { type: "string", default: "plain", "x-ag-control": "text-area" };
  const elsewhere = workflowOpenapi({ tone });
  const put = at("described", "/schema?environment=staging");
  expect((await sendJson(platform, "PUT", put, elsewhere)).status).toBe(200);
  const down = inEnvironment("described", "production", "/deployment");
  expect((await platform.send({ method: "DELETE", path: down })).status).toBe(204);

  const schemaOf = (build: string) => platform.get(at("described", `/builds/${build}/schema`));
  expect((await schemaOf("1")).json).toEqual(first);
  const [external, never, { id }] = await buildsOf(platform, "described");
  expect((await schemaOf(id)).json).toEqual(first);
  expect((await schemaOf(String(external.number))).json.routes[0].config).toEqual({ tone });
  const unknown = await schemaOf(String(never.number));
  expect([unknown.status, unknown.json.detail[0]]).toMatchObject([
    404,
    { type: "schema_not_found", loc: ["path", "build"] },
  ]);
  const missing = await schemaOf("99");
  expect([missing.status, missing.json.detail[0].type]).toEqual([404, "build_not_found"]);
});

describe("a deploy to an environment", () => {
  it("leaves the code, the configuration and the processes of the others as they are", async () => {
    await deploy(platform, "apart", telling("one"));
    const before = await ask("apart");
    expect(before).toMatchObject({ word: "one", environment: "production", temperature: 0.7 });
    const deployment = await deploymentIn("apart", "production");
    const revision = await commit("apart", 1.5);
    const query = { environment: "staging", variant: "default", revision: String(revision) };
    expect((await deploy(platform, "apart", telling("two"), query)).status).toBe(201);

    expect(await ask("apart")).toEqual(before);
    expect(await ask("apart", "production")).toEqual(before);
    expect(await deploymentIn("apart", "production")).toEqual(deployment);
    const staged = await ask("apart", "staging");
    expect(staged).toMatchObject({ word: "two", environment: "staging", temperature: 1.5 });
    expect((await platform.get(at("apart"))).json.build).toBe(1);
    const builds: { number: number; environments: string[] }[] = await buildsOf(platform, "apart");
    expect(builds.map(({ number, environments }) => [number, environments])).toEqual([
      [2, ["staging"]],
      [1, ["production"]],
    ]);

    const down = inEnvironment("apart", "staging", "/deployment");
    expect((await platform.send({ method: "DELETE", path: down })).status).toBe(204);
    expect((await callService(platform, "apart", "staging")).status).toBe(404);
    expect(await ask("apart")).toEqual(before);
  });

  it("goes to development where none is named", async () => {
    const { json } = await deploy(platform, "unnamed", telling("one"), {
      environment: "development",
    });
    const again = await platform.send({
      method: "POST",
      path: at("unnamed", "/builds"),
      headers: { "content-type": "application/gzip" },
      body: "no archive",
    });
    expect(json.deployment.environment).toBe("development");
    expect(again.json.detail[0].type).toBe("archive_invalid");
    expect((await callService(platform, "unnamed")).status).toBe(404);
    expect(await ask("unnamed", "development")).toMatchObject({ environment: "development" });
  });
});

describe("build and revision", () => {
  const pair = ({ word, temperature }: Said) => [word, temperature];

  it("move together or alone, and configuration alone starts nothing", async () => {
    await twoPairs("moving");
    const first = await ask("moving");
    const config = await promote("moving", "production", { from: "staging", config_only: true });
    expect(config.status, config.body.toString()).toBe(201);
    expect(config.json).toMatchObject({ build: { number: 1 }, variant: { revision: 2 } });
    expect(await ask("moving")).toEqual({ ...first, temperature: 1.5 });

    const code = await promote("moving", "production", { from: "staging", code_only: true });
    expect(code.json).toMatchObject({ build: { number: 2 }, variant: { revision: 2 } });
    const second = await ask("moving");
    expect(pair(second)).toEqual(["two", 1.5]);

    const codeBack = await rollBack("moving", "production", { code_only: true });
    expect(codeBack.json).toMatchObject({ build: { number: 1 }, variant: { revision: 2 } });
    const third = await ask("moving");
    expect(pair(third)).toEqual(["one", 1.5]);
    // The last one with another revision is the first of all.
    const configBack = await rollBack("moving", "production", { config_only: true });
    expect(configBack.json).toMatchObject({ build: { number: 1 }, variant: { revision: 1 } });
    expect(await ask("moving")).toEqual({ ...third, temperature: 0.7 });

    const both = await promote("moving", "production", { from: "staging" });
    expect(both.json).toMatchObject({ build: { number: 2 }, variant: { revision: 2 } });
    expect(pair(await ask("moving"))).toEqual(["two", 1.5]);
    const back = await rollBack("moving", "production");
    expect(back.json).toMatchObject({ build: { number: 1 }, variant: { revision: 1 } });
    expect(pair(await ask("moving"))).toEqual(["one", 0.7]);
    const to = await rollBack("moving", "production", { deployment: code.json.id });
    expect(to.json).toMatchObject({
      kind: "rollback",
      rolled_back_to: code.json.id,
      build: { number: 2 },
      variant: { revision: 2 },
    });
    expect(pair(await ask("moving"))).toEqual(["two", 1.5]);
    expect(pair(await ask("moving", "staging"))).toEqual(["two", 1.5]);
  });

  it("are promoted as they were looked at, or not at all", async () => {
    await twoPairs("looked-at");
    const { id: expected } = await deploymentIn("looked-at", "staging");
    await activate(platform, "looked-at", 1, { environment: "staging" });
    const stale = await promote("looked-at", "production", { from: "staging", expect: expected });
    expect(faults(stale)).toEqual([409, ["deployment_stale", "body", "expect"]]);
    expect(pair(await ask("looked-at"))).toEqual(["one", 0.7]);
    const { id } = await deploymentIn("looked-at", "staging");
    const fresh = await promote("looked-at", "production", { from: "staging", expect: id });
    expect(fresh.json).toMatchObject({ build: { number: 1 }, variant: { revision: 2 } });
  });
});
