import { expect, it } from "vitest";
import { configuredVersion, configureScorers } from "./configure-scorers.ts";
import type { ScorerIdentity } from "./scorer-identity.ts";

const config = {
  name: "helpful",
  code: "c0de",
  fields: {
    points: { type: "number", maximum: 1, default: 0.5 },
    rubric: { type: "string", default: "?" },
  },
  defaults: { points: 0.5, rubric: "?" },
} as unknown as NonNullable<ScorerIdentity["config"]>;
const SCORERS: readonly ScorerIdentity[] = [
  { name: "nice", version: configuredVersion(config), kind: "code", config },
  { name: "right", version: "v1", kind: "code" },
];

it("gives a scorer another version with other values, and with none else", () => {
  const versions = (configs: Parameters<typeof configureScorers>[1]) =>
    configureScorers(SCORERS, configs).scorers.map(({ version }) => version);
  const before = SCORERS.map(({ version }) => version);
  const [changed, right] = versions({ helpful: { points: 0.6 } });
  expect(changed).toMatch(/^[0-9a-f]{12}$/);
  expect([changed === before[0], right]).toEqual([false, "v1"]);
  expect(versions({ helpful: { points: 0.6, rubric: "?" } })[0]).toBe(changed);
  // The scorer's own name counts, not that of its scores, and no inherited one.
  for (const same of [{}, { helpful: { rubric: "?" } }, { nice: { points: 0.6 } }]) {
    expect(versions(same)).toEqual(before);
  }
  const { scorers } = configureScorers(SCORERS, { helpful: { rubrik: "!" } });
  expect(scorers.map(({ version }) => version)).toEqual(before);
});

it("names values that do not fit, and fields that the code does not have", () => {
  const { faults, ignored } = configureScorers(SCORERS, {
    helpful: { points: 2, rubrik: "!" },
    other: { points: 3 },
  });
  expect(faults).toEqual(["helpful.points: Must be 1 or less (got 2)."]);
  expect(ignored).toEqual(["helpful.rubrik"]);
});
