import { describe, expect, it } from "vitest";
import { type ColumnChoice, guessColumns, readCsvHeader } from "./column-choice.ts";
import { MOST_COLUMNS } from "./csv-columns.ts";
import { readCsv } from "./read-csv.ts";
import { shownRowFault } from "./test-row.ts";

const SCHEMA = {
  type: "object",
  properties: {
    question: { type: "string" },
    k: { type: "integer" },
    documents: { type: "array", items: { type: "string" } },
  },
};

/** @example "inputs.k number" */
function shown(choices: readonly ColumnChoice[]): readonly string[] {
  return choices.map(({ part, name, cell }) => `${name === "" ? part : `${part}.${name}`} ${cell}`);
}

function guess(header: string, schema?: typeof SCHEMA): readonly string[] {
  return shown(guessColumns(header.split(","), schema));
}

describe("guessColumns", () => {
  it("takes headers at their word, and leaves others out beside them", () => {
    expect(guess("id,inputs.a.b,expected.label,metadata:json,tags,note")).toEqual([
      "id text",
      "inputs.a.b text",
      "expected.label text",
      "metadata json",
      "tags text",
      "none text",
    ]);
  });

  it("finds the inputs of the route with their types; what else there is describes the case", () => {
    expect(guess("ID,Question,K,documents,Ground truth,page", SCHEMA)).toEqual([
      "id text",
      "inputs.question text",
      "inputs.k number",
      "inputs.documents json",
      "expected text",
      "metadata.page text",
    ]);
  });

  it("takes all for inputs where there is no route, or it has none of them", () => {
    const guessed = ["inputs.text text", "inputs.user.name text", "expected text", "none text"];
    expect(guess("text,user.name,label,")).toEqual(guessed);
    expect(guess("text,user.name,label,", SCHEMA)).toEqual(guessed);
  });

  it("uses no place twice", () => {
    expect(guess("question,Question,answer,output,id,ID", SCHEMA)).toEqual([
      "inputs.question text",
      "none text",
      "expected text",
      "metadata.output text",
      "id text",
      "none text",
    ]);
  });
});

describe("readCsv with chosen columns", () => {
  const file = 'key,text,n,on,doc,class,skip\n7,Why?,3,true,"{""a"":1}",x,no';
  const choice = (place: string, cell: ColumnChoice["cell"] = "text"): ColumnChoice => {
    const [part = "", ...steps] = place.split(".");
    return { part: part as ColumnChoice["part"], name: steps.join("."), cell };
  };

  it("puts each cell where it was chosen, with its type", () => {
    const columns = [
      choice("id"),
      choice("inputs.q"),
      choice("inputs.opts.n", "number"),
      choice("metadata.on", "boolean"),
      choice("expected", "json"),
      choice("tags"),
      choice("none"),
    ];
    expect(readCsv(file, { columns })).toMatchObject({
      kind: "rows",
      rows: [
        {
          id: "7",
          inputs: { q: "Why?", opts: { n: 3 } },
          metadata: { on: true },
          expected: { a: 1 },
          tags: ["x"],
        },
      ],
    });
  });

  it.each([
    [["inputs.a", "inputs.a"], 'Line 1, text: Is at the same place of the row as "key".'],
    [["inputs.a..b"], "Line 1, key: The field must be a name, or names with dots between."],
    [["id", "none"], "Line 1: No column holds inputs. Choose Input for at least one."],
  ])("refuses %j", (places, fault) => {
    const read = readCsv(file, { columns: places.map((place) => choice(place)) });
    expect(read.kind === "faults" && read.faults.map(shownRowFault)).toEqual([fault]);
  });
});

describe("readCsvHeader", () => {
  it("reads two records, however long the file is", () => {
    expect(readCsvHeader('\n a ,"b,c"\n1\n"')).toEqual({ headers: ["a", "b,c"], sample: ["1"] });
    expect(readCsvHeader("a")).toEqual({ headers: ["a"], sample: [] });
  });

  it("is null where there is no valid header", () => {
    expect(readCsvHeader("")).toBeNull();
    expect(readCsvHeader("a;b\n1;2")).toBeNull();
    expect(readCsvHeader('a,"b')).toBeNull();
    expect(readCsvHeader("a,".repeat(MOST_COLUMNS - 1))?.headers).toHaveLength(MOST_COLUMNS);
    expect(readCsvHeader("a,".repeat(MOST_COLUMNS))).toBeNull();
  });
});
