import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  packageJson,
  startPackageRegistry,
} from "../../../deployments/builds/testing/package-registry.fixture.ts";
import type { Gate } from "../../../deployments/testing/gate.fixture.ts";
import { makeGate } from "../../../deployments/testing/gate.fixture.ts";
import { filesIn } from "../../../stores/sqlite/data-directory.ts";
import type { TestPlatform } from "../../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../../testing/test-platform.fixture.ts";
import { faults, sendJson } from "../registry/testing/registry-client.fixture.ts";
import { routesOpenapi, workflowOpenapi } from "../registry/testing/workflow-openapi.fixture.ts";
import {
  activate,
  at,
  buildsOf,
  callService,
  deploy,
  workflow,
} from "./testing/deploying.fixture.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

/** What a process says of itself. */
interface Said {
  readonly word: string;
  readonly environment: string;
  readonly pid: number;
  /** What its own request for its configuration is answered with. */
  readonly temperature: number;
}

/** A build that says its word, where it runs and what it is configured with; once the gate is open. */
function telling(word: string, gate?: Gate, openapi?: object): string {
  const handle = `
    response.write(" ");
    ${gate?.wait ?? ""}
    const { AGATE_BASE_URL, AGATE_API_KEY, AGATE_APPLICATION, AGATE_ENVIRONMENT } = process.env;
    const config = await fetch(
      AGATE_BASE_URL + "/registry/applications/" + AGATE_APPLICATION + "/config?environment=" + AGATE_ENVIRONMENT,
      { headers: { authorization: "Bearer " + AGATE_API_KEY } },
    );
    const { params } = await config.json();
    response.end(JSON.stringify({
      word: ${JSON.stringify(word)},
      environment: AGATE_ENVIRONMENT,
      pid: process.pid,
      temperature: params["/summarize"]?.temperature,
    }));`;
  return workflow(word, { handle, ...(openapi && { openapi }) });
}

async function ask(application: string, environment?: string): Promise<Said> {
  const { status, text } = await callService(platform, application, environment);
  expect(status, text).toBe(200);
  return JSON.parse(text);
}

/** Commits a temperature to `default`; gives the number of the revision. */
async function commit(application: string, temperature: number): Promise<number> {
  const path = at(application, "/variants/default");
  const { latest_revision: base_revision } = (await platform.get(path)).json;
  const params = { "/summarize": { temperature } };
  const made = await sendJson(platform, "POST", `${path}/revisions`, { params, base_revision });
  expect(made.status, made.body.toString()).toBe(201);
  return made.json.variant.revision;
}

function inEnvironment(application: string, environment: string, path = "") {
  return at(application, `/environments/${environment}${path}`);
}

async function deploymentIn(application: string, environment: string) {
  return (await platform.get(inEnvironment(application, environment))).json.deployment;
}

function promote(application: string, environment: string, body: object) {
  return sendJson(platform, "POST", inEnvironment(application, environment, "/promote"), body);
}

function rollBack(application: string, environment: string, body: object = {}) {
  return sendJson(platform, "POST", inEnvironment(application, environment, "/rollback"), body);
}

function inDatabase(work: (db: DatabaseSync) => void): void {
  using db = new DatabaseSync(filesIn(platform.dataDirectory).registry);
  work(db);
}

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

  it("of the same archive is of the same build, with the files and packages that are there", async () => {
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
});

describe("build and revision", () => {
  /** Build 1 with revision 1 in production, build 2 with revision 2 in staging. */
  async function twoPairs(application: string): Promise<void> {
    const one = await deploy(platform, application, telling("one"));
    expect(one.status, one.body.toString()).toBe(201);
    await commit(application, 1.5);
    const query = { environment: "staging", variant: "default" };
    const two = await deploy(platform, application, telling("two"), query);
    expect(two.status, two.body.toString()).toBe(201);
  }

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
