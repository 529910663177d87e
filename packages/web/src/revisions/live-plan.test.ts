import type { Environment } from "@agate/protocol";
import { describe, expect, it } from "vitest";
import { isSameRevision, planText } from "./live-plan.ts";

function environment(slug: string, live: string | null): Environment {
  const deployment = live && {
    id: "dep_1",
    environment: slug,
    variant: { id: "var_1", slug: live, revision: 1 },
    kind: "deploy" as const,
    promoted_from: null,
    rolled_back_to: null,
    message: "",
    deployed_by: "local",
    deployed_at: "2026-11-15T10:00:00Z",
    ended_at: null,
  };
  return {
    id: `env_${slug}`,
    slug,
    playground: true,
    created_at: "2026-11-15T09:00:00Z",
    deployment: deployment || null,
  };
}

describe("planText", () => {
  const plan = {
    environment: "production",
    to: { slug: "thorough", revision: 2 },
    change: { kind: "promote", from: "staging" },
  } as const;

  it("says what leaves and what comes", () => {
    const environments = [environment("production", "concise")];
    expect(planText(environments, plan)).toBe("production: concise@1 → thorough@2");
  });

  it("says that nothing was live", () => {
    expect(planText([environment("production", null)], plan)).toBe(
      "production: nothing → thorough@2",
    );
  });
});

describe("isSameRevision", () => {
  const concise = { slug: "concise", revision: 1 };

  it("goes by name where that is all that is known", () => {
    expect(isSameRevision(concise, { ...concise, id: "var_1" })).toBe(true);
    expect(isSameRevision(concise, { ...concise, revision: 2 })).toBe(false);
  });

  it("tells a variant from one that was deleted and had its name", () => {
    expect(isSameRevision({ ...concise, id: "var_1" }, { ...concise, id: "var_2" })).toBe(false);
    const renamed = { slug: "brief", revision: 1, id: "var_1" };
    expect(isSameRevision({ ...concise, id: "var_1" }, renamed)).toBe(true);
  });
});
