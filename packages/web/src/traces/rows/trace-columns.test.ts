import { describe, expect, it } from "vitest";
import {
  type ColumnId,
  columnTracks,
  fitColumns,
  formatColumnChoice,
  parseColumnChoice,
} from "./trace-columns.ts";

/** What is left beside the navigation, within the margins. */
const AT_1280 = 1280 - 182 - 24;

function shownAt(width: number): readonly ColumnId[] {
  return fitColumns(parseColumnChoice(null), width).map(({ id }) => id);
}

describe("the columns of a list", () => {
  it("fit by default at 1280 pixels", () => {
    expect(shownAt(AT_1280)).toEqual([
      "time",
      "name",
      "status",
      "kind",
      "latency",
      "tokens",
      "cost",
      "variant",
      "revision",
      "environment",
      "user",
      "application",
      "preview",
    ]);
  });

  it("are hidden by importance on narrow screens, never time and name", () => {
    expect(shownAt(900)).not.toContain("user");
    expect(shownAt(900)).toContain("status");
    expect(shownAt(10)).toEqual(["time", "name", "preview"]);
  });

  it("restore a stored choice, always with time and name", () => {
    const chosen = new Set<ColumnId>(["time", "name", "route"]);
    expect(parseColumnChoice(formatColumnChoice(chosen))).toEqual(chosen);
    expect(parseColumnChoice("-time,-name,-nonsense,+").has("name")).toBe(true);
  });

  it("have their default where the stored choice lacks them", () => {
    const chosen = parseColumnChoice("-user");
    expect([chosen.has("user"), chosen.has("cost"), chosen.has("route")]).toEqual([
      false,
      true,
      false,
    ]);
  });

  it("do not include the preview", () => {
    const columns = fitColumns(new Set<ColumnId>(["time", "name", "preview"]), AT_1280);
    expect(columnTracks(columns)).toBe("24px 94px minmax(160px, 3fr) 32px");
  });
});
