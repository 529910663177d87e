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
  it("has everything that is essential at 1280 pixels", () => {
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

  it("drops what matters least where there is less room, never time and name", () => {
    expect(shownAt(900)).not.toContain("user");
    expect(shownAt(900)).toContain("status");
    expect(shownAt(10)).toEqual(["time", "name", "preview"]);
  });

  it("keeps a choice, and shows time and name whatever was kept", () => {
    const chosen = new Set<ColumnId>(["time", "name", "route"]);
    expect(parseColumnChoice(formatColumnChoice(chosen))).toEqual(chosen);
    expect(parseColumnChoice("-time,-name,-nonsense,+").has("name")).toBe(true);
  });

  it("shows columns as usual that the kept choice does not know", () => {
    const chosen = parseColumnChoice("-user");
    expect([chosen.has("user"), chosen.has("cost"), chosen.has("route")]).toEqual([
      false,
      true,
      false,
    ]);
  });

  it("gives the preview no column of its own", () => {
    const columns = fitColumns(new Set<ColumnId>(["time", "name", "preview"]), AT_1280);
    expect(columnTracks(columns)).toBe("82px minmax(180px, 3fr) 36px");
  });
});
