import type { Environment, RegistryVariant } from "@agate/protocol";
import { describe, expect, it, test } from "vitest";
import { ApiError, UnreachableError } from "../api/api-error.ts";
import { labels } from "./evaluation.fixture.ts";
import { checkDraft, type KnownConfigs, rejectedFields, runDraft } from "./run-choices.ts";

const variant = (slug: string, latest_revision: number): RegistryVariant => ({
  id: slug,
  slug,
  created_at: "2026-11-17T04:00:00.000Z",
  forked_from: null,
  latest_revision,
});

function environment(slug: string, isLive: boolean, is_default = false): Environment {
  const deployment = isLive
    ? ({ variant: { id: "default", slug: "default", revision: 2 } } as Environment["deployment"])
    : null;
  return {
    id: slug,
    slug,
    playground: true,
    created_at: "2026-11-17T04:00:00.000Z",
    is_default,
    deployment,
  };
}

const known: KnownConfigs = {
  variants: [variant("terse", 3), variant("default", 2)],
  environments: [
    environment("development", true),
    environment("staging", false),
    environment("production", true, true),
  ],
};

describe("A new draft", () => {
  it("compares the default variant with what is live where calls go to", () => {
    expect(runDraft({}, labels, known)).toEqual({
      candidate: "default",
      baseline: "env:production",
      testset: "",
      trials: "2",
      max_cost: "",
      environment: "development",
      message: "",
    });
  });

  it("has no baseline where no gate compares, nothing is live, or none is chosen", () => {
    const bounded = { ...labels, gate: { scores: { right: { min: 0.5 } } } };
    expect(runDraft({}, bounded, known).baseline).toBe("");
    expect(runDraft({}, { ...labels, gate: null }, known).baseline).toBe("");
    const nothing = { ...known, environments: [environment("staging", false)] };
    expect(runDraft({}, labels, nothing)).toMatchObject({ baseline: "", environment: "staging" });
    expect(runDraft({ baseline: "" }, labels, known).baseline).toBe("");
  });

  it("takes another committed variant where the default has no revision", () => {
    const others = [variant("default", 0), variant("terse", 1)];
    expect(runDraft({}, labels, { ...known, variants: others }).candidate).toBe("terse");
    expect(runDraft({}, labels, { ...known, variants: [] }).candidate).toBe("default");
  });
});

describe("A draft", () => {
  const draft = runDraft({}, labels, known);

  it("becomes a request that leaves out what is empty", () => {
    expect(checkDraft({ ...draft, baseline: "" }, "r1")).toEqual({
      kind: "valid",
      start: { id: "r1", candidate: "default", environment: "development", trials: 2 },
    });
    const full = { ...draft, testset: "golden@3", max_cost: " 1.5 ", message: " Why? " };
    expect(checkDraft(full, "r1")).toMatchObject({
      start: { baseline: "env:production", testset: "golden@3", max_cost: 1.5, message: "Why?" },
    });
  });

  test.each([
    ["trials", "0", true],
    ["trials", "1", false],
    ["trials", "100", false],
    ["trials", "101", true],
    ["trials", "1.5", true],
    ["trials", "", true],
    ["max_cost", "0", true],
    ["max_cost", "0.001", false],
    ["max_cost", "much", true],
    ["max_cost", "", false],
    ["candidate", "run:", true],
    ["baseline", "run:", true],
    ["baseline", "run:r0", false],
  ] as const)("with %s “%s” is invalid: %s", (field, text, isInvalid) => {
    const checked = checkDraft({ ...draft, [field]: text }, "r1");
    const fields = checked.kind === "invalid" ? Object.keys(checked.problems) : [];
    expect(fields).toEqual(isInvalid ? [field] : []);
  });
});

test("What the platform rejects is shown at its field, unless a part of it has none", () => {
  const detail = (loc: (string | number)[]) => ({ loc, msg: `At ${loc.at(-1)}.`, type: "invalid" });
  const rejected = (...locs: (string | number)[][]) =>
    rejectedFields(new ApiError(422, { detail: locs.map(detail) }));
  expect(rejected(["body", "candidate"], ["body", "trials"])).toEqual({
    candidate: "At candidate.",
    trials: "At trials.",
  });
  expect(rejected(["path", "evaluation"])).toEqual({ evaluation: "At evaluation." });
  expect(rejected(["body", "testset", "rows", 3, "inputs"])).toEqual({ testset: "At inputs." });
  expect(rejected(["body", "candidate"], [])).toEqual({});
  expect(rejectedFields(new UnreachableError("Gone."))).toEqual({});
});
