import { DatabaseSync } from "node:sqlite";
import { expect } from "vitest";
import type { Gate } from "../../../../deployments/testing/gate.fixture.ts";
import { filesIn } from "../../../../stores/sqlite/data-directory.ts";
import type { TestPlatform } from "../../../testing/test-platform.fixture.ts";
import { sendJson } from "../../registry/testing/registry-client.fixture.ts";
import { at, callService, deploy, workflow } from "./deploying.fixture.ts";

/** What a process says of itself. */
export interface Said {
  readonly word: string;
  readonly environment: string;
  readonly pid: number;
  /** What its own request for its configuration is answered with. */
  readonly temperature: number;
}

/** A build that says its word, where it runs and what it is configured with; once the gate is open. */
export function telling(word: string, gate?: Gate, openapi?: object): string {
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

export function inEnvironment(application: string, environment: string, path = ""): string {
  return at(application, `/environments/${environment}${path}`);
}

/** The environments of applications on a platform, and what their processes say. */
export function environmentsOn(platform: TestPlatform) {
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

  /** Build 1 with revision 1 in production, build 2 with revision 2 in staging. */
  async function twoPairs(application: string): Promise<void> {
    const one = await deploy(platform, application, telling("one"));
    expect(one.status, one.body.toString()).toBe(201);
    await commit(application, 1.5);
    const query = { environment: "staging", variant: "default" };
    const two = await deploy(platform, application, telling("two"), query);
    expect(two.status, two.body.toString()).toBe(201);
  }

  return { ask, commit, deploymentIn, promote, rollBack, inDatabase, twoPairs };
}
