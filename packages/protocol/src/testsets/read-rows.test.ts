import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJsonl } from "./read-jsonl.ts";
import { readRows } from "./read-rows.ts";
import { inputsId } from "./row-ids.ts";
import type { RowsReading, TestRow } from "./test-row.ts";
import {
  LONGEST_ROW_ID,
  LONGEST_TAG,
  MOST_ROW_BYTES,
  MOST_ROW_FAULTS,
  MOST_ROW_LEVELS,
  MOST_ROWS,
  MOST_TAGS,
  rowLine,
  shownRowFault,
} from "./test-row.ts";

function shown(reading: RowsReading): readonly unknown[] {
  return reading.kind === "rows" ? reading.rows : reading.faults.map(shownRowFault);
}

function faultsOf(...values: unknown[]): readonly unknown[] {
  const reading = readRows(values.map((value) => ({ value, line: null })));
  return reading.kind === "rows" ? [] : reading.faults.map(shownRowFault);
}

describe("readJsonl", () => {
  it("reads a row per line and names the line of each fault", () => {
    const text =
      '\uFEFF{"inputs":{"text":"a"}}\r\n\n{"id":"b","inputs":{},"expected":null,"tags":["x"]}\n';
    expect(shown(readJsonl(text))).toEqual([
      { id: inputsId({ text: "a" }), inputs: { text: "a" }, metadata: {}, tags: [], source: null },
      { id: "b", inputs: {}, expected: null, metadata: {}, tags: ["x"], source: null },
    ]);
    expect(shown(readJsonl('{"inputs":{}}\n\n{"inputs":}\n{"inputs"'))).toEqual([
      "Line 3: The line is not JSON, at character 11: A value is missing before this }.",
      "Line 4: The line is not JSON, at character 10: The text ends too early.",
    ]);
    expect(shown(readJsonl('{"inputs":{}}\n{"input":{}}\n7\n{"id":"a","inputs":1}'))).toEqual([
      'Line 2, input: There is no such field; did you mean "inputs"?',
      "Line 2, inputs: Required: an object with what the route takes.",
      'Line 3: Must be an object, such as {"inputs": {"text": "…"}} (got 7).',
      "Line 4, inputs: Must be an object (got 1).",
    ]);
    expect(shown(readJsonl(""))).toEqual([]);
  });

  it("names both lines of an id that is there twice", () => {
    expect(shown(readJsonl('{"id":"a","inputs":{}}\n\n{"id":"a","inputs":{"n":1}}'))).toEqual([
      'Line 3, id: Line 1 has the id "a", too. Ids must differ.',
    ]);
  });

  it("reads what rowLine writes", () => {
    const object = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ maxDepth: 2 }));
    const row = fc.record(
      {
        id: fc
          .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
          .filter((id) => !/\p{Cc}/u.test(id)),
        inputs: object,
        expected: fc.jsonValue({ maxDepth: 2 }),
        metadata: object,
        tags: fc.array(fc.string({ minLength: 1 })),
        source: fc.option(fc.constant({ trace_id: "a".repeat(32), span_id: "b".repeat(16) })),
      },
      { requiredKeys: ["id", "inputs", "metadata", "tags", "source"] },
    );
    fc.assert(
      fc.property(fc.uniqueArray(row, { selector: ({ id }) => id, maxLength: 5 }), (rows) => {
        const plain: TestRow[] = JSON.parse(JSON.stringify(rows));
        expect(shown(readJsonl(plain.map(rowLine).join("\n")))).toEqual(plain);
      }),
      { numRuns: 30 },
    );
    const purged = {
      id: "p",
      inputs: {},
      metadata: {},
      tags: [],
      source: null,
      purged: true,
    } as const;
    expect(shown(readJsonl(rowLine(purged)))).toEqual([purged]);
  });
});

describe("readRows", () => {
  it.each<[string, number, (size: number) => unknown]>([
    [
      "bytes",
      MOST_ROW_BYTES,
      (size) => ({ inputs: { a: "x".repeat(size - '{"inputs":{"a":""}}'.length) } }),
    ],
    ["characters of an id", LONGEST_ROW_ID, (size) => ({ id: "x".repeat(size), inputs: {} })],
    ["tags", MOST_TAGS, (size) => ({ inputs: {}, tags: Array(size).fill("x") })],
    ["characters of a tag", LONGEST_TAG, (size) => ({ inputs: {}, tags: ["x".repeat(size)] })],
    [
      "levels",
      MOST_ROW_LEVELS,
      (size) => JSON.parse(`{"inputs":{"a":${"[".repeat(size - 2)}${"]".repeat(size - 2)}}}`),
    ],
  ])("takes as many %s as it says, and no more", (_, most, make) => {
    expect(faultsOf(make(most))).toEqual([]);
    expect(faultsOf(make(most + 1))).toHaveLength(1);
  });

  it("takes as many rows as it says, and no more", () => {
    const rows = (count: number) => Array.from({ length: count }, () => ({ inputs: {} }));
    expect(faultsOf(...rows(MOST_ROWS))).toEqual([]);
    expect(faultsOf(...rows(MOST_ROWS + 1))).toEqual([
      "Row 50001: A test set has at most 50,000 rows (got 50,001).",
    ]);
  });

  it("finds a hundred faults at most", () => {
    expect(faultsOf(...Array(MOST_ROW_FAULTS - 1).fill(1))).toHaveLength(MOST_ROW_FAULTS - 1);
    expect(faultsOf(...Array(MOST_ROW_FAULTS + 1).fill(1))).toHaveLength(MOST_ROW_FAULTS);
  });

  it.each([
    [{ id: "", inputs: {} }, 'Row 1, id: Must be a text of 1 to 200 characters (got "").'],
    [{ id: 7, inputs: {} }, "Row 1, id: Must be a text of 1 to 200 characters (got 7)."],
    [
      { id: "a\n", inputs: {} },
      'Row 1, id: Must be a text without control characters (got "a\\n").',
    ],
    [{ inputs: {}, metadata: [] }, "Row 1, metadata: Must be an object (got a list)."],
    [
      { inputs: {}, source: { trace_id: "a" } },
      'Row 1, source: Must be an object with "trace_id" and "span_id" (got an object).',
    ],
    [
      { id: "a", purged: true, inputs: {} },
      "Row 1, inputs: Must be left out where the row is purged.",
    ],
    [{ purged: true }, "Row 1, id: Required."],
  ])("refuses %j", (row, fault) => {
    expect(faultsOf(row)).toEqual([fault]);
  });
});
