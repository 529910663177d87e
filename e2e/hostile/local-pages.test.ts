import { afterAll, beforeAll, expect, it } from "vitest";
import { type RunningServer, startServer } from "../running-server.ts";

// A page of another port of this machine. Browsers send a POST without a body for it, or with one of
// plain text, without asking the server first.

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
  await send("POST", "/registry/applications", {}, JSON.stringify({ slug: "support" }));
});
afterAll(() => server[Symbol.asyncDispose]());

function send(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body: string | null = null,
): Promise<Response> {
  const type = body === null ? {} : { "content-type": "application/json" };
  return fetch(server.url + path, { method, headers: { ...type, ...headers }, body });
}

const FOREIGN: Record<string, string>[] = [
  { origin: "http://localhost:3000" },
  { origin: "http://127.0.0.1:1" },
  { origin: "null" },
  { "sec-fetch-site": "same-site" },
  { "sec-fetch-site": "cross-site" },
  { origin: "http://localhost:3000", "sec-fetch-site": "same-site" },
];
const CHANGES = [
  "/registry/applications/support/builds/1/activate",
  "/registry/applications/support/environments/production/rollback",
  "/registry/applications",
  "/services/support/run/say",
  "/v1/traces",
];

it.each(FOREIGN)("changes nothing without a key for a page of %j", async (headers) => {
  for (const path of CHANGES) {
    const refused = await send("POST", path, headers);
    expect([path, refused.status]).toEqual([path, 403]);
    expect(await refused.json()).toMatchObject({ detail: [{ type: "origin_not_allowed" }] });
  }
});

it("serves its own page, and programs, which name no page", async () => {
  const own = [{}, { origin: server.url }, { origin: server.url, "sec-fetch-site": "same-origin" }];
  for (const headers of own as Record<string, string>[]) {
    for (const path of CHANGES) {
      const answer = await send("POST", path, headers);
      expect([path, answer.status]).not.toEqual([path, 403]);
    }
  }
});

it("takes an empty body with a JSON type where the body is optional", async () => {
  const json = { "content-type": "application/json" };
  const path = "/registry/applications/support/environments/production/rollback";
  const answers = await Promise.all([send("POST", path), send("POST", path, json)]);
  const [bare, typed] = await Promise.all(answers.map((answer) => answer.json()));
  expect(typed).toEqual(bare);
  expect(typed).toMatchObject({ detail: [{ type: "deployment_not_found" }] });
  // Where it is not, the field that is missing is named.
  const required = await send("POST", "/registry/applications", json);
  expect(required.status).toBe(422);
  expect(await required.json()).toMatchObject({ detail: [{ loc: ["body", "slug"] }] });
});

it("keeps recorded content out of caches, and lets the page's files be kept", async () => {
  const trace = `/observability/traces/${"a".repeat(32)}/`;
  const paths = [
    trace,
    "/observability/spans/",
    "/observability/traces/",
    "/observability/analytics/",
    "/registry/applications",
    "/registry/applications/support/environments",
    "/registry/keys",
  ];
  for (const path of paths) {
    const { headers } = await send("GET", path);
    expect([path, headers.get("cache-control")]).toEqual([path, "no-store"]);
  }
  const page = await (await send("GET", "/")).text();
  const [asset = ""] = /\/assets\/[\w.-]+\.js/.exec(page) ?? [];
  expect((await send("GET", asset)).headers.get("cache-control")).toContain("immutable");
});

it("answers an unknown path with the page for a browser, and with JSON for programs", async () => {
  const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
  for (const path of ["/nothing", "/observability/nothing", "/registry/nothing/here", "/v1/x"]) {
    const page = await send("GET", path, browser);
    expect([path, page.status]).toEqual([path, 404]);
    expect(page.headers.get("content-type")).toContain("text/html");
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    for (const headers of [{}, { accept: "application/json" }, { accept: "*/*" }]) {
      const answer = await send("GET", path, headers as Record<string, string>);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ detail: [{ type: "route_not_found" }] });
    }
    expect((await send("POST", path, browser)).headers.get("content-type")).toContain("json");
  }
  // What is there stays what it is.
  const known = await send("GET", "/observability/traces/", browser);
  expect(known.headers.get("content-type")).toContain("json");
  expect((await send("GET", "/v1/traces", browser)).status).toBe(405);
  expect((await send("GET", `/traces/${"a".repeat(32)}`, browser)).status).toBe(200);
});
