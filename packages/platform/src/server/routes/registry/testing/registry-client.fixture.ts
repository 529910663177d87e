import type { Deployment } from "@agate/protocol";
import { expect } from "vitest";
import type { TestResponse } from "../../../testing/send-request.fixture.ts";
import type { TestPlatform } from "../../../testing/test-platform.fixture.ts";
import { openapiOf } from "./workflow-openapi.fixture.ts";

/** An application that a test has for itself. Every answer is checked against /openapi.json. */
export interface TestApplication {
  readonly slug: string;
  /** @param path Below the application: `/variants/default`. */
  call(method: string, path: string, body?: unknown): Promise<TestResponse>;
  get(path: string): Promise<TestResponse>;
  /** Commits on top of what is there, making the variant if need be; gives the revision's number. */
  commit(params: object, variant?: string): Promise<number>;
  /**
   * Deploys a variant's latest revision. An environment without code first gets a workflow that runs
   * elsewhere and takes what the revision sets.
   */
  deploy(environment: string, variant?: string): Promise<Deployment>;
}

export const APPLICATIONS = "/registry/applications";

let made = 0;

/** Sends JSON to the platform. */
export function sendJson(
  platform: TestPlatform,
  method: string,
  path: string,
  body?: unknown,
): Promise<TestResponse> {
  return platform.send({
    method,
    path,
    ...(body !== undefined && {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  });
}

export async function makeApplication(
  platform: TestPlatform,
  slug = `app-${++made}`,
): Promise<TestApplication> {
  const call: TestApplication["call"] = (method, path, body) =>
    sendJson(platform, method, `${APPLICATIONS}/${slug}${path}`, body);
  expect((await sendJson(platform, "POST", APPLICATIONS, { slug })).status).toBe(201);
  return {
    slug,
    call,
    get: (path) => call("GET", path),
    async commit(params, variant = "default") {
      await call("POST", "/variants", { slug: variant });
      const { latest_revision } = (await call("GET", `/variants/${variant}`)).json;
      const body = { params, base_revision: latest_revision };
      const committed = await call("POST", `/variants/${variant}/revisions`, body);
      expect(committed.status).toBe(201);
      return committed.json.variant.revision;
    },
    async deploy(environment, variant = "default") {
      const path = `/environments/${environment}`;
      if ((await call("GET", path)).json.deployment === null) {
        const { params } = (await call("GET", `/config?variant=${variant}`)).json;
        const put = await call("PUT", `/schema?environment=${environment}`, openapiOf(params));
        expect(put.status, put.body.toString()).toBe(200);
        const { deployment } = (await call("GET", path)).json;
        if (deployment.variant.slug === variant) return deployment;
      }
      const deployed = await call("POST", `${path}/deployments`, { variant });
      expect(deployed.status, deployed.body.toString()).toBe(201);
      return deployed.json;
    },
  };
}

/** The types and places of what is wrong. */
export function faults(response: TestResponse): unknown[] {
  const detail: { type: string; loc: unknown[] }[] = response.json.detail;
  return [response.status, ...detail.map(({ type, loc }) => [type, ...loc])];
}
