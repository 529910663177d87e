import type { ConfigDiff } from "@agate/protocol";
import { describe, expect, it } from "vitest";
import { plainPaint } from "../../terminal/plain-paint.fixture.ts";
import { diffLines } from "./diff-view.ts";

const from = { id: "var_1", slug: "default", revision: 3 };
const to = { id: "var_1", slug: "default", revision: 4 };

function draw(routes: ConfigDiff["routes"]): string[] {
  return [...diffLines({ from, to, routes }, plainPaint)];
}

describe("a difference", () => {
  it("is told by route and field, short values on one line", () => {
    expect(
      draw([
        {
          route: "/summarize",
          fields: [
            { field: "model", change: "removed", from: "gpt-4" },
            { field: "temperature", change: "changed", from: 0.2, to: 0.7 },
            { field: "tone", change: "added", to: "formal" },
          ],
        },
      ]),
    ).toEqual([
      "default@3 → default@4",
      "/summarize",
      '  - model        "gpt-4"',
      "  ~ temperature  0.2 → 0.7",
      '  + tone         "formal"',
    ]);
  });

  it("is told by path inside of objects and lists", () => {
    const from = { topK: 5, weights: [1, 2], old: true };
    const to = { topK: 3, weights: [1, 2, 3] };
    const fields = [
      { field: "retrieval", change: "changed", from, to },
      { field: "seed", change: "changed", from: null, to: 1 },
    ] as const;
    expect(draw([{ route: "/", fields }]).slice(1)).toEqual([
      "/",
      "  ~ retrieval.topK        5 → 3",
      "  + retrieval.weights[2]  3",
      "  - retrieval.old         true",
      "  ~ seed                  null → 1",
    ]);
  });

  it("shows text of several lines as lines", () => {
    const fields = [
      { field: "prompt", change: "changed", from: "Be brief.", to: "Be\nbrief." },
    ] as const;
    expect(draw([{ route: "/", fields }]).slice(1)).toEqual([
      "/",
      "  ~ prompt",
      '    - "Be brief."',
      "    + Be",
      "    + brief.",
    ]);
  });

  it("says so where there is none", () => {
    expect(draw([])).toEqual(["default@3 and default@4 are the same."]);
  });

  it("lets no value send an escape sequence", () => {
    const fields = [{ field: "p\u001b[2J", change: "added", to: "a\n\u001b]0;x\u0007b" }] as const;
    expect(draw([{ route: "/\u001b[1m", fields }]).slice(1)).toEqual([
      "/",
      "  + p",
      "    + a",
      "    + b",
    ]);
  });
});
