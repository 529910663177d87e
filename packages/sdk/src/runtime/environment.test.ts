import { afterEach, describe, expect, it, vi } from "vitest";
import { applicationSetting, environment, setting, useBindings } from "./environment.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

describe("a setting", () => {
  it("is the program's own, else the variable's", () => {
    vi.stubEnv("AGATE_BASE_URL", "http://variable");
    expect(setting("http://program", "AGATE_BASE_URL")).toBe("http://program");
    expect(setting(undefined, "AGATE_BASE_URL")).toBe("http://variable");
  });

  it("is the variable's first in a program that agate dev or the platform runs", () => {
    vi.stubEnv("AGATE_LISTEN", "unix:/somewhere.sock");
    expect(setting("http://program", "AGATE_BASE_URL")).toBe("http://program");
    vi.stubEnv("AGATE_BASE_URL", "http://variable");
    expect(setting("http://program", "AGATE_BASE_URL")).toBe("http://variable");
  });
});

it("names an application after its project only where code and deployment do not name it", () => {
  vi.stubEnv("AGATE_LISTEN", "unix:/somewhere.sock");
  vi.stubEnv("AGATE_APPLICATION_DEFAULT", "project");
  expect(applicationSetting(undefined)).toBe("project");
  expect(applicationSetting("code")).toBe("code");
  vi.stubEnv("AGATE_APPLICATION", "deployed");
  expect(applicationSetting("code")).toBe("deployed");
});

/** An environment that denies every read, as Deno's does without `--allow-env`. */
const denied = new Proxy(
  {},
  {
    get() {
      throw new Error('Requires env access to "AGATE_BASE_URL"');
    },
  },
);

describe("an environment variable", () => {
  it("is undefined where it is empty or unset", () => {
    vi.stubEnv("AGATE_BASE_URL", "");
    expect(environment("AGATE_BASE_URL")).toBeUndefined();
    expect(environment("AGATE_NO_SUCH_VARIABLE")).toBeUndefined();
  });

  it("is undefined where the runtime denies access to its environment", () => {
    vi.stubGlobal("process", { env: denied });
    expect(environment("AGATE_BASE_URL")).toBeUndefined();
    vi.stubGlobal("process", undefined);
    vi.stubGlobal("Deno", {
      env: {
        get() {
          throw new Error("NotCapable");
        },
      },
    });
    expect(environment("AGATE_BASE_URL")).toBeUndefined();
  });

  it("is not read from what other runtimes than Cloudflare Workers pass beside a request", () => {
    useBindings({ AGATE_BASE_URL: "http://not-a-binding" });
    expect(environment("AGATE_BASE_URL")).toBeUndefined();
  });

  it("is a worker's binding where the worker has no other environment", () => {
    vi.stubGlobal("navigator", { userAgent: "Cloudflare-Workers" });
    vi.stubGlobal("process", undefined);
    useBindings({ AGATE_BASE_URL: "http://binding", AGATE_API_KEY: { not: "a text" } });
    expect(environment("AGATE_BASE_URL")).toBe("http://binding");
    expect(environment("AGATE_API_KEY")).toBeUndefined();
  });
});
