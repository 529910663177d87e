import { expect, it } from "vitest";
import { serviceTarget } from "./service-target.ts";

it.each([
  ["/services/support/run/summarize?x=1", "support", "/run/summarize?x=1"],
  ["/services/support/run/", "support", "/run/"],
  ["/services/support", "support", "/"],
  ["/services/support?x=/y", "support", "/?x=/y"],
  ["/services/support/", "support", "/"],
  ["/services/%73upport/a%2Fb", "support", "/a%2Fb"],
  ["/services/100%/run", "100%", "/run"],
  ["/services/support//run/../x", "support", "//run/../x"],
])("%s is for %s, as %s", (target, application, path) => {
  expect(serviceTarget(target, null)).toEqual({ application, environment: null, path });
});

it.each(["/services", "/services/", "/services//run", "/servicesx/a", "/run", "/generate", "/"])(
  "%s is for no service",
  (target) => {
    expect(serviceTarget(target, null)).toBeUndefined();
  },
);

it.each([
  "/run",
  "/run/",
  "/run/summarize?x=1",
  "/playground/run",
  "/playground/run/a/b",
  "/generate",
  "/generate/",
  "/generate_deployed?x=1",
])("%s is for the root application as it is", (target) => {
  expect(serviceTarget(target, "support")).toEqual({
    application: "support",
    environment: null,
    path: target,
  });
});

it.each(["/", "/running", "/generated", "/generate/x", "/playground", "/health", "/openapi.json"])(
  "%s stays the platform's, with a root application too",
  (target) => {
    expect(serviceTarget(target, "support")).toBeUndefined();
  },
);

it.each([
  ["/services/support@staging/run", "support", "staging", "/run"],
  ["/services/support%40staging?x", "support", "staging", "/?x"],
  ["/services/app_1@env_2/health", "app_1", "env_2", "/health"],
  ["/services/support@/run", "support", "", "/run"],
  ["/services/a@b@c/run", "a", "b@c", "/run"],
  ["/services/@b/run", "", "b", "/run"],
])("%s is for %s in %j", (target, application, environment, path) => {
  expect(serviceTarget(target, null)).toEqual({ application, environment, path });
});
