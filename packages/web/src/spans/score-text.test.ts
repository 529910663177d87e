import { formatScore } from "@agate/protocol/format";
import { describe, expect, it } from "vitest";
import { scoreText, sourceText } from "./score-text.ts";

const unnamed = { evaluator: null, version: null, person: null };

describe("the text of a score", () => {
  it.each([
    [{ status: "ok", label: null, value: 0.8 }, "0.8"],
    [{ status: "ok", label: "up", value: 1 }, "up (1)"],
    [{ status: "ok", label: "polite", value: null }, "polite"],
    [{ status: "ok", label: null, value: 0 }, "0"],
    [{ status: "skipped", label: null, value: null }, "Skipped"],
    [{ status: "failed", label: "up", value: null }, "Failed"],
  ] as const)("of %o is %s", (score, text) => {
    expect(scoreText(score)).toBe(text);
  });

  it.each([
    [2 / 3, "0.667"],
    [0.00004321, "0.0000432"],
    [-0.5, "-0.5"],
    [12.345, "12.35"],
    [1234567, "1,234,567"],
    [0.9996, "1"],
  ])("shows %s as %s", (value, text) => {
    expect(formatScore(value)).toBe(text);
  });
});

describe("the source of a score", () => {
  it.each([
    [{ kind: "code", ...unnamed }, "Code"],
    [{ kind: "model", ...unnamed, evaluator: "judge", version: "2" }, "Model · judge@2"],
    [{ kind: "code", ...unnamed, version: "2" }, "Code · 2"],
    [{ kind: "human", ...unnamed, person: "ann" }, "Person · ann"],
    [{ kind: "end_user", ...unnamed }, "End user"],
  ] as const)("%o is %s", (source, text) => {
    expect(sourceText(source)).toBe(text);
  });
});
