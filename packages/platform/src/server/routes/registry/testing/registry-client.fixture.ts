import { expect } from "vitest";
import type { TestResponse } from "../../../testing/send-request.fixture.ts";
import type { TestPlatform } from "../../../testing/test-platform.fixture.ts";

/** An application that a test has for itself. Every answer is checked against /openapi.json. */
export interface TestApplication {
  readonly slug: string;
  /** @param path Below the application: `/variants/default`. */
  call(method: string, path: string, body?: unknown): Promise<TestResponse>;
  get(path: string): Promise<TestResponse>;
  /** Commits on top of what is there, making the variant if need be; gives the revision's number. */
  commit(params: object, variant?: string): Promise<number>;
  /** Deploys a variant's latest revision. */
  deploy(environment: string, variant?: string): Promise<TestResponse>;
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
    deploy: (environment, variant = "default") =>
      call("POST", `/environments/${environment}/deployments`, { variant }),
  };
}

/** The types and places of what is wrong. */
export function faults(response: TestResponse): unknown[] {
  const detail: { type: string; loc: unknown[] }[] = response.json.detail;
  return [response.status, ...detail.map(({ type, loc }) => [type, ...loc])];
}
