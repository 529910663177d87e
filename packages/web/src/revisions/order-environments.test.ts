import { describe, expect, it } from "vitest";
import { nextEnvironment, orderEnvironments } from "./order-environments.ts";

const named = (...slugs: string[]) => slugs.map((slug) => ({ slug }));

describe("orderEnvironments", () => {
  it("puts development, staging and production first, and the others as they were made", () => {
    const ordered = orderEnvironments(named("qa", "production", "eu", "development", "staging"));
    expect(ordered).toEqual(named("development", "staging", "production", "qa", "eu"));
  });

  it("knows the short names", () => {
    expect(orderEnvironments(named("prod", "stage", "dev"))).toEqual(named("dev", "stage", "prod"));
  });
});

describe("nextEnvironment", () => {
  it("leads along the way, over what is missing", () => {
    const environments = named("production", "qa", "development");
    expect(nextEnvironment(environments, "development")).toEqual({ slug: "production" });
  });

  it("leads nowhere from the last, nor from one beside the way", () => {
    const environments = named("development", "production", "qa");
    expect(nextEnvironment(environments, "production")).toBeUndefined();
    expect(nextEnvironment(environments, "qa")).toBeUndefined();
  });
});
