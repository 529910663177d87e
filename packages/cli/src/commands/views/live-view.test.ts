import type { ConfigNote, DeployResult } from "@agate/protocol";
import { describe, expect, it } from "vitest";
import { plainPaint } from "../../terminal/plain-paint.fixture.ts";
import { formatLive, missingVariableLines, noteLines, servedLines } from "./live-view.ts";

const VARIANT = { id: "var_1", slug: "default", revision: 2 };
const BUILD = { id: "bld_1", number: 3, kind: "hosted" } as const;

function deployed(changes: Partial<DeployResult["build"]>, notes: ConfigNote[] = []) {
  return {
    application: { id: "app_1", slug: "support" },
    build: { ...BUILD, allow: [], routes: ["/", "/shout"], ...changes },
    deployment: { environment: "staging", build: BUILD, variant: VARIANT },
    notes,
  } as unknown as DeployResult;
}

describe("servedLines", () => {
  it("say what is live where, and addresses that name the environment", () => {
    const result = deployed({ allow: ["addons"] }, [
      { kind: "ignored", route: "/shout", field: "old" },
    ]);
    expect([...servedLines(result, "http://platform", plainPaint)]).toEqual([
      "Build 3 with default@2 is live in staging of support.",
      "Permissions from package.json: addons.",
      "Ignored fields of default@2, not in the code: /shout.old.",
      "  http://platform/services/support@staging/run",
      "  http://platform/services/support@staging/run/shout",
    ]);
  });

  it("leave out what there is nothing of", () => {
    const result = deployed({ allow: null, routes: null });
    expect([...servedLines(result, "http://platform", plainPaint)]).toEqual([
      "Build 3 with default@2 is live in staging of support.",
    ]);
  });
});

describe("defaults that a revision does not set", () => {
  const line = (count: number) => {
    const notes = Array.from({ length: count }, (_, index) => ({
      ...({ kind: "default", route: "/a", field: `f${index}`, value: index } as const),
    }));
    return [...noteLines(notes, { variant: VARIANT })].join();
  };

  it.each([
    [3, "/a.f0=0, /a.f1=1, /a.f2=2."],
    [4, "/a.f0, /a.f1, /a.f2, /a.f3."],
    [9, "/a.f5, /a.f6, /a.f7 and 1 more."],
  ])("are named, up to three with their values: %i", (count, end) => {
    expect(line(count)).toMatch(/^Defaults of the code, not set in default@2: /);
    expect(line(count).endsWith(end)).toBe(true);
  });
});

describe("missingVariableLines", () => {
  const lines = (missing: string[]) => {
    const { application, deployment } = deployed({});
    const promotion = { ...deployment, environment: "production", promoted_from: "staging" };
    const result = { application, deployment: promotion, missing_variables: missing };
    return [...missingVariableLines(result)];
  };

  it("name what the target lacks, up to eight, and the command that sets it", () => {
    expect(lines([])).toEqual([]);
    expect(lines(["OPENAI_API_KEY", "REGION"])).toEqual([
      "Variables of staging that production lacks: OPENAI_API_KEY, REGION.",
      "  agate env set support production OPENAI_API_KEY",
    ]);
    const many = Array.from({ length: 9 }, (_, index) => `V${index}`);
    expect(lines(many)[0]).toMatch(/V7 and 1 more\.$/);
  });
});

describe("noteLines", () => {
  it("tell whole routes from fields, and values of defaults", () => {
    const notes: ConfigNote[] = [
      { kind: "ignored", route: "/gone", field: null },
      { kind: "default", route: "/shout", field: "tone", value: "\u001b[31mcalm" },
    ];
    expect([...noteLines(notes, { variant: VARIANT })]).toEqual([
      "Ignored fields of default@2, not in the code: /gone.",
      'Defaults of the code, not set in default@2: /shout.tone="\\u001b[31mcalm".',
    ]);
  });

  it.each([
    [8, "/r.f7."],
    [9, "/r.f7 and 1 more."],
  ])("name 8 of %i fields", (count, end) => {
    const notes = Array.from(
      { length: count },
      (_, index): ConfigNote => ({ kind: "ignored", route: "/r", field: `f${index}` }),
    );
    const [line = ""] = noteLines(notes, { variant: VARIANT });
    expect(line.endsWith(end)).toBe(true);
  });
});

it("formatLive says where code runs elsewhere, and where it is not known", () => {
  expect(formatLive({ build: BUILD, variant: VARIANT })).toBe("build 3 with default@2");
  const external = { ...BUILD, kind: "external" } as const;
  expect(formatLive({ build: external, variant: VARIANT })).toBe(
    "build 3 (external) with default@2",
  );
  expect(formatLive({ build: null, variant: VARIANT })).toBe("no build with default@2");
});
