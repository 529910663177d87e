import { afterEach, describe, expect, it, vi } from "vitest";
import { BaseModel } from "../config/base-model.ts";
import { DeclarationError } from "../config/declaration-error.ts";
import { serveOnNode } from "../node/serve.ts";
import { answerOf, post } from "./call-app.fixture.ts";
import { createApp } from "./create-app.ts";

class NoConfig extends BaseModel {}

function mountedApp(basePath: string | undefined) {
  const app = createApp({ application: "mounted", basePath });
  app.entrypoint(NoConfig)(() => "entrypoint");
  app.route("/api/say", NoConfig)(() => "said");
  return app;
}

function get(app: ReturnType<typeof mountedApp>, path: string) {
  return answerOf(app.fetch(new Request(`http://workflow.test${path}`)));
}

afterEach(() => vi.unstubAllEnvs());

describe("an app with a base path", () => {
  const app = mountedApp("/api/agate");

  it.each([
    ["/api/agate/generate", "entrypoint"],
    ["/api/agate/playground/run", "entrypoint"],
    ["/api/agate/playground/run/", "entrypoint"],
    ["/api/agate/playground/run/api/say?q=/x", "said"],
  ])("answers POST %s", async (path, data) => {
    expect((await answerOf(post(app, path, {}))).body.data).toBe(data);
  });

  it("has its health and its document there, which names the path as its server", async () => {
    expect((await get(app, "/api/agate/health/")).body.application).toBe("mounted");
    const { body } = await get(app, "/api/agate/openapi.json");
    expect(body.servers).toEqual([{ url: "/api/agate" }]);
    expect(Object.keys(body.paths)).toContain("/run/api/say");
  });

  it.each([
    "/playground/run/api/say",
    "/health",
    "/api/agatehealth",
    "/api/agate",
    "/api/agate/",
    "/api/agate/api/agate/health",
    "/API/agate/health",
    "/",
  ])("does not serve %s", async (path) => {
    const { status, body } = await get(app, path);
    expect([status, body.detail[0].type]).toEqual([404, "route_not_found"]);
    expect(body.detail[0].msg).toContain(
      `nothing at ${path}. The routes are /, /api/say: POST /api/agate/playground/run/…`,
    );
  });

  it("is served below it by ag.serve, too", async () => {
    const serving = await serveOnNode(app, { port: 0, signals: false });
    expect((await fetch(`${serving.url}/api/agate/health`)).status).toBe(200);
    expect((await fetch(`${serving.url}/health`)).status).toBe(404);
    await serving.close();
  });

  it("is at the root where others run the program: they chose where it is", async () => {
    vi.stubEnv("AGATE_LISTEN", "unix:/tmp/agate-test.sock");
    const run = mountedApp("/api/agate");
    expect((await get(run, "/health")).status).toBe(200);
    expect((await get(run, "/openapi.json")).body.servers).toBeUndefined();
  });
});

describe("the option basePath", () => {
  it.each([undefined, "", "/"])("is the root as %j", async (basePath) => {
    expect((await get(mountedApp(basePath), "/health")).status).toBe(200);
  });

  it.each([
    ["api", 'begin with "/". Write "/api"'],
    ["/api/", 'not end with "/". Write "/api"'],
    ["/api//agate", 'empty segment. Write "/api/agate"'],
    ["/api?x", "query"],
    ["/[...agate]", "characters that a URL cannot hold"],
    ["https://app.example/api", 'begin with "/"'],
  ])("is refused as %j, when it is given", (basePath, said) => {
    expect(() => createApp({ basePath })).toThrow(DeclarationError);
    expect(() => createApp({ basePath })).toThrow(
      `${JSON.stringify(basePath)} is not a base path: `,
    );
    expect(() => createApp({ basePath })).toThrow(said);
  });
});
