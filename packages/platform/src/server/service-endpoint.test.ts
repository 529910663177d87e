import fc from "fast-check";
import { expect, it } from "vitest";
import { serviceEndpoint } from "./service-endpoint.ts";

it.each([
  ["/playground/run", "playground"],
  ["/playground/run/summarize?x=1", "playground"],
  ["/generate", "playground"],
  ["/generate/", "playground"],
  ["/run/summarize", "deployed"],
  ["/run", "deployed"],
  ["/run/playground/run", "deployed"],
  ["/generate_deployed?x", "deployed"],
  ["/openapi.json", "description"],
  ["/health/", "description"],
  ["/", "other"],
  ["/running", "other"],
  ["/playground", "other"],
  ["/generated", "other"],
  ["/api/playground/run", "other"],
  ["/run/a%20b", "deployed"],
  ["/run/./summarize", "deployed"],
])("%s is %s", (path, endpoint) => {
  expect(serviceEndpoint(path)).toBe(endpoint);
});

it.each([
  "/%70layground/run/summarize",
  "/playground%2Frun/summarize",
  "//playground//run/summarize",
  "/run/../playground/run/summarize",
  "/run/%2e%2E/playground/./run/summarize",
  "/playground\\run/summarize",
  "/x/../generat%65",
  "/playground//../run/summarize",
  "/playground/run/../../run/summarize",
])("%s may reach the playground", (path) => {
  expect(serviceEndpoint(path)).toBe("playground");
});

it("takes every path for the playground's that a URL parser resolves to it", () => {
  const piece = fc.constantFrom(
    "playground",
    "run",
    "generate",
    "x",
    ".",
    "..",
    "%2e%2e",
    "%72un",
    "",
  );
  const separator = fc.constantFrom("/", "\\", "//");
  fc.assert(
    fc.property(fc.array(fc.tuple(separator, piece), { minLength: 1, maxLength: 8 }), (parts) => {
      const path = `/${parts.map(([before, name]) => before + name).join("")}`;
      const resolved = new URL(`http://build${path}`).pathname.replaceAll(/\/+/g, "/");
      const isPlayground = /^\/playground\/(?:run|%72un)(?:\/|$)|^\/generate\/?$/.test(resolved);
      if (isPlayground) expect(serviceEndpoint(path)).toBe("playground");
    }),
    { numRuns: 2_000 },
  );
});
