import { expect, it } from "vitest";
import { BuildRoutes } from "./build-routes.ts";

const post = (route: string, timeout?: unknown, endpoint = "deployed") => ({
  post: { "x-ag-route": route, "x-ag-endpoint": endpoint, "x-ag-timeout": timeout },
});

it("finds routes by the targets of requests, however they are encoded", () => {
  const routes = new BuildRoutes({
    paths: {
      "/run": post("/"),
      "/run/a%20b": post("/a%20b", 1500),
      "/playground/run/x": post("/x", 10, "playground"),
      "/health": { get: {} },
    },
  });
  expect(routes.find("/run/?x=/y")).toEqual({ route: "/", isDeployed: true, timeoutMs: null });
  const spaced = { route: "/a%20b", isDeployed: true, timeoutMs: 1500 };
  for (const target of ["/run/a%20b", "/%72un/a%20%62/", "/run/a%20b?"]) {
    expect(routes.find(target)).toEqual(spaced);
  }
  expect(routes.find("/playground/run/x")?.isDeployed).toBe(false);
  for (const target of ["/health", "/run/y", "/", "", "/%", "/run/a%20b/c"]) {
    expect(routes.find(target)).toBeUndefined();
  }
});

it.each([
  [null],
  ["text"],
  [{ paths: null }],
  [{ paths: { "/run": null } }],
  [{ paths: { "/run": { post: { "x-ag-route": 5 } } } }],
])("finds nothing where a build describes nothing: %j", (openapi) => {
  expect(new BuildRoutes(openapi).find("/run")).toBeUndefined();
});

it.each([[0], [-1], ["5"], [Number.NaN]])("takes %j for no timeout", (timeout) => {
  const routes = new BuildRoutes({ paths: { "/run": post("/", timeout) } });
  expect(routes.find("/run")?.timeoutMs).toBeNull();
});
