import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  packageJson,
  startPackageRegistry,
} from "../../../deployments/builds/testing/package-registry.fixture.ts";
import { makeGate } from "../../../deployments/testing/gate.fixture.ts";
import { startTestPlatform } from "../../testing/test-platform.fixture.ts";
import { faults, sendJson } from "../registry/testing/registry-client.fixture.ts";
import { routesOpenapi, workflowOpenapi } from "../registry/testing/workflow-openapi.fixture.ts";
import { at, buildsOf, callService, deploy, workflow } from "./testing/deploying.fixture.ts";
import { environmentsOn, inEnvironment, telling } from "./testing/environments.fixture.ts";

const platform = await startTestPlatform();
const { ask, commit, promote, rollBack, inDatabase, twoPairs } = environmentsOn(platform);
afterAll(() => platform.close());

it("deploys the same archive as the same build, with the files and packages that are there", async () => {
  await using packages = await startPackageRegistry();
  const install = await packages.publish({
    // Other than any before: npm has a cache.
    greeting: {
      "package.json": packageJson("greeting"),
      "index.js": `// ${crypto.randomUUID()}`,
    },
  });
  const files = { ...install, "app.mjs": telling("same") };
  const archive = { files, manifest: { entry: "app.mjs" } };
  const first = await deploy(platform, "same", archive);
  expect(first.status, first.body.toString()).toBe(201);
  const stored = async () =>
    (await readdir(join(platform.dataDirectory, "modules"))).filter((name) => name[0] !== ".");
  const [before, { requests }] = [await stored(), packages];
  expect(requests).toBe(1);
  for (const environment of ["staging", "production"]) {
    const again = await deploy(platform, "same", archive, { environment });
    expect(again.json.build).toMatchObject({ id: first.json.build.id, number: 1 });
  }
  expect(await stored()).toEqual(before);
  expect(packages.requests).toBe(requests);
  expect(await buildsOf(platform, "same")).toMatchObject([
    { number: 1, environments: ["staging", "production"] },
  ]);
  const [one, other] = [await ask("same"), await ask("same", "staging")];
  expect(other).toMatchObject({ word: "same", environment: "staging" });
  expect(other.pid).not.toBe(one.pid);
});

describe("build and revision", () => {
  it("are moved one or both, not neither", async () => {
    await twoPairs("neither");
    const body = { from: "staging", code_only: true, config_only: true };
    expect(faults(await promote("neither", "production", body))).toEqual([
      422,
      ["value_not_allowed", "body", "config_only"],
    ]);
    const { key } = await platform.access.keys.create("default", { name: "a", scopes: ["admin"] });
    const asAdmin = (moved: object) =>
      platform.send({
        method: "POST",
        path: inEnvironment("neither", "production", "/promote"),
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ from: "staging", ...moved }),
      });
    expect(faults(await asAdmin({}))).toEqual([403, ["scope_missing", "header", "authorization"]]);
    expect((await asAdmin({ config_only: true })).status).toBe(201);
  });

  it("tell their steps as a deploy does", async () => {
    await twoPairs("stepwise");
    const steps = async (path: string, body: object) => {
      const url = `${platform.server.url}${inEnvironment("stepwise", "production", path)}`;
      const headers = { "content-type": "application/json", accept: "text/event-stream" };
      const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
      expect(response.status).toBe(200);
      const text = await response.text();
      return [...text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(([, event, data = ""]) => {
        const { step, state } = JSON.parse(data);
        return event === "step" ? `${step} ${state}` : event;
      });
    };
    const started = ["install", "start", "check", "switch", "drain"];
    expect(await steps("/promote", { from: "staging" })).toEqual([
      ...started.flatMap((step) => [`${step} begun`, `${step} done`]),
      "deployed",
    ]);
    expect(await steps("/rollback", { config_only: true })).toEqual([
      "check begun",
      "check done",
      "deployed",
    ]);
    expect(await steps("/promote", { from: "development" })).toEqual(["refused"]);
  });

  it("of history from before deployments had builds: the revision alone", async () => {
    await deploy(platform, "historic", telling("one"));
    await commit("historic", 1.5);
    await deploy(platform, "historic", telling("two"), { variant: "default" });
    const [, first] = (await platform.get(at("historic", "/deployments"))).json.items;
    inDatabase((db) =>
      db
        .prepare("UPDATE deployments SET build_id = NULL, build_since = NULL WHERE id = ?")
        .run(first.id),
    );
    const { pid } = await ask("historic");
    const code = await rollBack("historic", "production", {
      deployment: first.id,
      code_only: true,
    });
    expect(faults(code)).toEqual([409, ["build_missing", "body", "deployment"]]);
    const back = await rollBack("historic", "production");
    expect(back.json).toMatchObject({
      rolled_back_to: first.id,
      build: { number: 2 },
      variant: { revision: 1 },
    });
    expect(await ask("historic")).toMatchObject({ word: "two", temperature: 0.7, pid });
    // There is no other build to go back to.
    expect(faults(await rollBack("historic", "production", { code_only: true }))).toEqual([
      404,
      ["deployment_not_found", "body", "deployment"],
    ]);
  });
});

describe("what an environment would lose", () => {
  const DAY_MS = 24 * 60 * 60 * 1000;
  const field = { type: "number", default: 0.7, "x-ag-control": "slider" };
  const both = routesOpenapi({ "/summarize": { temperature: field }, "/extra": {} });

  async function noteCall(application: string, environment: string, agoMs: number): Promise<void> {
    const { id } = (await platform.get(inEnvironment(application, environment))).json;
    const at = new Date(Date.now() - agoMs).toISOString();
    inDatabase((db) =>
      db.prepare("INSERT OR REPLACE INTO route_calls VALUES (?, '/extra', ?)").run(id, at),
    );
  }

  it("is a route that was called there lately", async () => {
    const deployOf = (openapi: object, word: string, query: Record<string, string> = {}) =>
      deploy(platform, "routes", workflow(word, { openapi }), query);
    for (const environment of ["production", "staging", "development"]) {
      expect((await deployOf(both, "both", { environment })).status).toBe(201);
    }
    await noteCall("routes", "production", 7 * DAY_MS - 60_000);
    const fewer = workflowOpenapi({ temperature: field });
    const refused = await deployOf(fewer, "fewer");
    expect(refused.status).toBe(409);
    expect(refused.json.detail).toMatchObject([{ type: "breaking_change" }]);
    expect(refused.json.detail[0].msg).toContain("/extra was called in production");
    expect((await callService(platform, "routes")).text).toBe("both");
    // It was called elsewhere only.
    expect((await deployOf(fewer, "fewer", { environment: "staging" })).status).toBe(201);
    await noteCall("routes", "development", 0);
    expect((await deployOf(fewer, "fewer", { environment: "development" })).status).toBe(201);
    const promoted = await promote("routes", "production", { from: "staging" });
    expect(faults(promoted)[0]).toBe(409);
    await noteCall("routes", "production", 7 * DAY_MS + 60_000);
    expect((await promote("routes", "production", { from: "staging" })).status).toBe(201);
    expect((await callService(platform, "routes")).text).toBe("fewer");
  });

  it("is a value that its configuration sets", async () => {
    const without = routesOpenapi({ "/summarize": {} });
    const deployOf = (word: string, query: Record<string, string> = {}) =>
      deploy(platform, "fields", workflow(word, { openapi: without }), query);
    expect((await deploy(platform, "fields", workflow("with"))).status).toBe(201);
    await commit("fields", 1.5);
    const configured = { variant: "default", environment: "staging" };
    expect((await deploy(platform, "fields", workflow("with"), configured)).status).toBe(201);
    const refused = await deployOf("without", { environment: "staging" });
    expect(refused.status).toBe(409);
    expect(refused.json.detail).toMatchObject([{ type: "breaking_change" }]);
    expect(refused.json.detail[0].msg).toContain("sets /summarize.temperature to 1.5");
    const accepted = { environment: "staging", allow_breaking: "true" };
    const { status, json } = await deployOf("without", accepted);
    expect([status, json.notes]).toEqual([
      201,
      [{ kind: "ignored", route: "/summarize", field: "temperature" }],
    ]);
    // Production sets it to its default.
    expect((await deployOf("without")).status).toBe(201);
  });
});

it("answers a process that drains with what was deployed together with its build", async () => {
  await using gate = await makeGate();
  await deploy(platform, "pairs", telling("old", gate));
  const draining = await fetch(`${platform.server.url}/services/pairs/run/x`);
  await commit("pairs", 1.5);
  expect((await deploy(platform, "pairs", telling("new"), { variant: "default" })).status).toBe(
    201,
  );
  await commit("pairs", 2);
  const path = inEnvironment("pairs", "production", "/deployments");
  expect((await sendJson(platform, "POST", path, { variant: "default" })).status).toBe(201);
  gate.open();
  expect(await draining.json()).toMatchObject({ word: "old", temperature: 0.7 });
  expect(await ask("pairs")).toMatchObject({ word: "new", temperature: 2 });
  const live = await platform.get(at("pairs", "/config?environment=production"));
  expect(live.json).toMatchObject({ params: { "/summarize": { temperature: 2 } } });
});
