import type { Environment } from "@agate/protocol";
import { describe, expect, it } from "vitest";
import { isSameRevision, type LivePair, movedPair, planKey, planText } from "./live-plan.ts";

const build = (number: number) => ({ id: `bld_${number}`, number, kind: "hosted" as const });
const pair = (number: number | null, slug: string, revision = 1): LivePair => ({
  build: number === null ? null : build(number),
  variant: { id: `var_${slug}`, slug, revision },
});

function environment(slug: string, live: LivePair | null): Environment {
  return {
    id: `env_${slug}`,
    slug,
    playground: true,
    created_at: "2026-11-15T09:00:00Z",
    is_default: slug === "production",
    deployment: live && {
      id: "dep_1",
      environment: slug,
      build: live.build,
      variant: { id: "", ...live.variant },
      kind: "deploy",
      promoted_from: null,
      rolled_back_to: null,
      message: "",
      deployed_by: "local",
      deployed_at: "2026-11-15T10:00:00Z",
      ended_at: null,
    },
  };
}

const planOf = (to: LivePair, expectId = "dep_2") =>
  ({
    environment: "production",
    to,
    change: { kind: "promote", from: "staging", expect: expectId, parts: "both" },
  }) as const;

describe("planText", () => {
  it.each([
    [pair(2, "concise"), pair(3, "thorough", 2), "build 2, concise@1 → build 3, thorough@2"],
    [pair(2, "concise"), pair(2, "thorough", 2), "concise@1 → thorough@2"],
    [pair(2, "concise"), pair(3, "concise"), "build 2 → build 3"],
    [pair(2, "concise"), pair(2, "concise"), "build 2, concise@1 → build 2, concise@1"],
    [pair(null, "concise"), pair(3, "concise"), "no build → build 3"],
    [null, pair(3, "thorough", 2), "nothing → build 3, thorough@2"],
    [null, pair(null, "thorough", 2), "nothing → thorough@2"],
  ])("says what leaves and what comes, and leaves out what stays: %#", (live, to, text) => {
    const environments = [environment("production", live)];
    expect(planText(environments, planOf(to))).toBe(`production: ${text}`);
  });
});

describe("planKey", () => {
  const live = [environment("production", pair(2, "concise"))];
  const plan = planOf(pair(3, "thorough"));

  it("is another one when anything of the plan is", () => {
    const keys = [
      planKey(live, plan),
      planKey([environment("production", pair(1, "concise"))], plan),
      planKey([environment("production", pair(2, "concise", 2))], plan),
      planKey([environment("production", null)], plan),
      planKey(live, planOf(pair(4, "thorough"))),
      planKey(live, planOf(pair(3, "thorough", 2))),
      planKey(live, planOf(pair(3, "thorough"), "dep_3")),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("is the same for the same", () => {
    const again = [environment("production", pair(2, "concise"))];
    expect(planKey(again, planOf(pair(3, "thorough")))).toBe(planKey(live, plan));
  });
});

describe("movedPair", () => {
  const [moved, live] = [pair(3, "thorough"), pair(2, "concise")];

  it("takes what moves, and keeps what does not", () => {
    expect(movedPair(moved, live, "both")).toEqual(moved);
    expect(movedPair(moved, live, "code")).toEqual(pair(3, "concise"));
    expect(movedPair(moved, live, "config")).toEqual(pair(2, "thorough"));
  });

  it("keeps the build where the other has none", () => {
    expect(movedPair(pair(null, "thorough"), live, "both")).toEqual(pair(2, "thorough"));
  });

  it("takes everything where nothing is live", () => {
    expect(movedPair(moved, null, "both")).toEqual(moved);
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
