import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MOST_COLUMNS } from "./csv-columns.ts";
import { readCsvRecords } from "./csv-records.ts";
import { type CsvOptions, readCsv } from "./read-csv.ts";
import { shownRowFault } from "./test-row.ts";

/** The rows without ids, or the faults. */
function shown(text: string, options?: CsvOptions): readonly unknown[] {
  const reading = readCsv(text, options);
  if (reading.kind === "faults") return reading.faults.map(shownRowFault);
  return reading.rows.map(({ inputs, expected, metadata, tags }) => ({
    inputs,
    ...(expected !== undefined && { expected }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(tags.length > 0 && { tags }),
  }));
}

describe("readCsvRecords", () => {
  it("reads every table, however it is written", () => {
    const cell = fc.record({
      text: fc.string({ unit: fc.constantFrom("a", " ", '"', ",", "\r", "\n", "é", "\uFEFF") }),
      isQuoted: fc.boolean(),
    });
    const table = fc.array(fc.array(cell, { minLength: 1, maxLength: 3 }), { maxLength: 4 });
    const style = {
      end: fc.constantFrom("\r\n", "\n", "\r"),
      mark: fc.boolean(),
      last: fc.boolean(),
    };
    fc.assert(
      fc.property(table, fc.record(style), (rows, { end, mark, last }) => {
        const written = rows.map((cells) =>
          cells.map(({ text, isQuoted }) => ({
            text,
            isQuoted: isQuoted || /[",\r\n\uFEFF]/.test(text),
          })),
        );
        const lines = written.map((cells) =>
          cells
            .map(({ text, isQuoted }) => (isQuoted ? `"${text.replaceAll('"', '""')}"` : text))
            .join(","),
        );
        const csv = (mark ? "\uFEFF" : "") + lines.join(end) + (last ? end : "");
        let line = 1;
        const expected = written.flatMap((cells, n) => {
          const record = { line, cells };
          line += 1 + (lines[n]!.match(/\r\n|\r|\n/g)?.length ?? 0);
          return lines[n] === "" ? [] : [record];
        });
        expect(readCsvRecords(csv)).toEqual({ kind: "records", records: expected });
      }),
    );
  });

  it.each([
    ['a\n"b\nc', 2, "A cell begins with a quote and has no closing one."],
    ['a\n"b\nc"d', 3, "Nothing but a comma or the end of the line may follow a closing quote."],
    [
      'a\nb"c',
      2,
      'A cell with a quote in it must be in quotes, and the quote doubled: "a ""b"" c".',
    ],
  ])("refuses %j", (text, line, msg) => {
    expect(readCsvRecords(text)).toEqual({ kind: "fault", line, msg });
  });
});

describe("readCsv", () => {
  it("goes by the headers", () => {
    const csv =
      "id,inputs.text,inputs.user.name,expected.label,metadata.page,tags,inputs.list:json\r\n" +
      'a,"Hi, ""you""",Ann,billing,7,"new, hard","[1, {""b"": null}]"\r\n' +
      'b,"",,,,,\r\n';
    const reading = readCsv(csv);
    expect(reading.kind === "rows" && reading.rows).toEqual([
      {
        id: "a",
        inputs: { text: 'Hi, "you"', user: { name: "Ann" }, list: [1, { b: null }] },
        expected: { label: "billing" },
        metadata: { page: "7" },
        tags: ["new", "hard"],
        source: null,
      },
      { id: "b", inputs: { text: "" }, metadata: {}, tags: [], source: null },
    ]);
    expect(shown('inputs:json,expected\n"{""a"":1}",yes')).toEqual([
      { inputs: { a: 1 }, expected: "yes" },
    ]);
    const [row] = shown("inputs.__proto__\nx") as { inputs: object }[];
    expect(Object.entries(row!.inputs)).toEqual([["__proto__", "x"]]);
  });

  it("goes by the options, and leaves other columns out", () => {
    const csv = "key,question,level,label,email\nk1,Why?,3,other,joe@example.com";
    const reading = readCsv(csv, { id: "key", inputs: ["question"], expected: ["label"] });
    expect(reading).toMatchObject({
      kind: "rows",
      rows: [{ id: "k1", inputs: { question: "Why?" }, expected: "other", metadata: {} }],
    });
    expect(shown(csv, { inputs: ["question", "level"], expected: ["label", "email"] })).toEqual([
      {
        inputs: { question: "Why?", level: "3" },
        expected: { label: "other", email: "joe@example.com" },
      },
    ]);
    expect(shown("a:json,inputs.b\n[1],x", { inputs: ["a"] })).toEqual([
      { inputs: { a: [1], b: "x" } },
    ]);
  });

  it("makes numbers and booleans where the schema says so, and texts elsewhere", () => {
    const inputSchema = {
      properties: {
        n: { type: "number" },
        whole: { $ref: "#/$defs/whole" },
        flag: { anyOf: [{ type: "boolean" }, { type: "null" }] },
        either: { type: ["number", "string"] },
        at: { type: "object", properties: { x: { type: "integer" } } },
      },
      $defs: { whole: { type: ["integer", "null"] } },
    };
    const header =
      "inputs.n,inputs.whole,inputs.flag,inputs.either,inputs.at.x,inputs.other,expected";
    expect(shown(`${header}\n1.5e2, -3 ,TRUE,7,4,1,1`, { inputSchema })).toEqual([
      {
        inputs: { n: 150, whole: -3, flag: true, either: "7", at: { x: 4 }, other: "1" },
        expected: "1",
      },
    ]);
    expect(shown(`${header}\n1,2,yes,,,,\n,x,,,,,\n1e999,,,,,,`, { inputSchema })).toEqual([
      'Line 2, inputs.flag: Must be true or false (got "yes").',
      'Line 3, inputs.whole: Must be a number (got "x").',
      'Line 4, inputs.n: Must be a number (got "1e999").',
    ]);
  });

  it.each([
    ["", "Line 1: The file has no header."],
    [
      "id\na",
      "Line 1: No column holds inputs. Call one inputs.NAME, or name it with the option inputs.",
    ],
    ["inputs.a;inputs.b\n1;2", "Line 1, inputs.a;inputs.b: Cells must be separated by commas."],
    ["text\nx", 'Line 1, text: Unknown column "text".'],
    ["inputs.a,inputs.a\n1,2", 'Line 1, inputs.a: Is at the same place of the row as "inputs.a".'],
    [
      "inputs.a,inputs.a.b\n1,2",
      'Line 1, inputs.a.b: Is at the same place of the row as "inputs.a".',
    ],
    [
      "inputs.a.b,inputs:json\n1,2",
      'Line 1, inputs:json: Is at the same place of the row as "inputs.a.b".',
    ],
    ["inputs.a,inputs.b\n1\n", "Line 2: Has 1 cells; the header has 2."],
    ['inputs.a\n"x\ny"\n"z\n', "Line 4: A cell begins with a quote and has no closing one."],
    ["inputs.a:json\n{", 'Line 2, inputs.a:json: Must be JSON (got "{").'],
    ["id,inputs.a\na,1\n\na,2", 'Line 4, id: Line 2 has the id "a", too. Ids must differ.'],
  ])("refuses %j", (csv, fault) => {
    const [first] = shown(csv);
    expect(first).toContain(fault);
  });

  it("names a column that an option asks for in vain", () => {
    expect(shown("text,label\na,b", { inputs: ["txt"], expected: ["label"] })).toContain(
      'Line 1, txt: The file has no column "txt": it has "text" or "label".',
    );
  });

  it("takes as many columns as it says, and no more", () => {
    const csv = (count: number) =>
      `${Array.from({ length: count }, (_, n) => `inputs.c${n}`).join(",")}\n`;
    expect(shown(csv(MOST_COLUMNS))).toEqual([]);
    expect(shown(csv(MOST_COLUMNS + 1))).toEqual([
      "Line 1: A file has at most 1000 columns (got 1001).",
    ]);
  });
});
