import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plainPaint } from "./plain-paint.fixture.ts";
import type { Column, Row } from "./table.ts";
import { layOutTable, renderFields, tableHead, tableLine } from "./table.ts";
import { textWidth } from "./text-width.ts";

const columns: readonly Column[] = [
  { title: "NAME", least: 6 },
  { title: "COUNT", align: "right" },
  { title: "NOTES", least: 5, dispensable: 1 },
  { title: "EXTRA", dispensable: 2 },
];

const rows: readonly Row[] = [
  ["short", "1", "none", "x"],
  ["a name that goes on", "12345", "a remark that goes on and on", "y"],
];

/** All of a table, a line each. */
function linesOf(columns: readonly Column[], rows: readonly Row[], available?: number): string[] {
  const layout = layOutTable(columns, rows, available);
  return [tableHead(layout, plainPaint), ...rows.map((row) => tableLine(layout, row, plainPaint))];
}

describe("a table", () => {
  it("is as wide as its cells in a pipe, with nothing cut", () => {
    expect(linesOf(columns, rows)).toEqual([
      "NAME                 COUNT  NOTES                         EXTRA",
      "short                    1  none                          x",
      "a name that goes on  12345  a remark that goes on and on  y",
    ]);
  });

  it("cuts the widest columns first where the terminal is narrow", () => {
    expect(linesOf(columns, rows, 40)).toEqual([
      "NAME          COUNT  NOTES         EXTRA",
      "short             1  none          x",
      "a name that…  12345  a remark th…  y",
    ]);
  });

  it("leaves out what can be spared, least needed first, and says which", () => {
    const layout = layOutTable(columns, rows, 18);
    expect(layout.hidden).toEqual(["EXTRA", "NOTES"]);
    expect(linesOf(columns, rows, 18)).toEqual([
      "NAME         COUNT",
      "short            1",
      "a name tha…  12345",
    ]);
  });

  it("has short forms in every row before anything is cut or left out", () => {
    const named: Row[] = [
      [{ text: "the long name", short: "name" }, "1", "notes", "x"],
      [{ text: "another", short: "other" }, "2", "notes", "y"],
    ];
    expect(linesOf(columns, named, 35)).toEqual([
      "NAME           COUNT  NOTES  EXTRA",
      "the long name      1  notes  x",
      "another            2  notes  y",
    ]);
    // One column less than that table takes.
    expect(linesOf(columns, named, 33)).toEqual([
      "NAME   COUNT  NOTES  EXTRA",
      "name       1  notes  x",
      "other      2  notes  y",
    ]);
  });

  it("keeps every line within the terminal, whatever the cells hold", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 60 });
    const cell = fc.oneof(text, fc.record({ text, short: text }));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, fc.nat().map(String), cell, cell), { maxLength: 8 }),
        fc.integer({ min: 24, max: 200 }),
        (cells, width) => {
          for (const line of linesOf(columns, cells, width)) {
            expect(textWidth(line)).toBeLessThanOrEqual(width);
            expect(line).not.toMatch(/\n|\s$/);
          }
        },
      ),
    );
  });

  it("lets no cell send an escape sequence or start a line", () => {
    const lines = linesOf(
      [{ title: "A" }],
      [["\u001b[2Jgone\nnext"], [{ text: "\u009b5m", style: "red" }]],
    );
    expect(lines).toEqual(["A", "gone next", ""]);
  });
});

it("fields stand below each other with their values in one column", () => {
  expect(
    renderFields(
      [
        ["id", "7"],
        ["created", "now"],
        ["note", ""],
      ],
      plainPaint,
    ),
  ).toEqual(["id       7", "created  now", "note"]);
});
