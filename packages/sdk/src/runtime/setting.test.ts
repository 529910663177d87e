import { afterEach, describe, expect, it, vi } from "vitest";
import { applicationSetting, setting } from "./setting.ts";

afterEach(() => vi.unstubAllEnvs());

describe("a setting", () => {
  it("is the program's own, else the variable's", () => {
    vi.stubEnv("AGATE_BASE_URL", "http://variable");
    expect(setting("http://program", "AGATE_BASE_URL")).toBe("http://program");
    expect(setting(undefined, "AGATE_BASE_URL")).toBe("http://variable");
  });

  it("is the variable's first in a program that somebody else runs", () => {
    vi.stubEnv("AGATE_LISTEN", "unix:/somewhere.sock");
    expect(setting("http://program", "AGATE_BASE_URL")).toBe("http://program");
    vi.stubEnv("AGATE_BASE_URL", "http://variable");
    expect(setting("http://program", "AGATE_BASE_URL")).toBe("http://variable");
  });
});

it("calls an application by the project's name only where nobody else names it", () => {
  vi.stubEnv("AGATE_LISTEN", "unix:/somewhere.sock");
  vi.stubEnv("AGATE_APPLICATION_DEFAULT", "project");
  expect(applicationSetting(undefined)).toBe("project");
  expect(applicationSetting("code")).toBe("code");
  vi.stubEnv("AGATE_APPLICATION", "deployed");
  expect(applicationSetting("code")).toBe("deployed");
});
