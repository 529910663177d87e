import { describe, expect, it } from "vitest";
import { rowOf } from "./row.fixture.ts";
import { draftOf, EMPTY_DRAFT, readDraft } from "./row-draft.ts";

describe("a typed row", () => {
  it("is read as it was written", () => {
    const row = rowOf("a7", {
      inputs: { text: "Hi", list: [1, null] },
      expected: null,
      metadata: { page: 3 },
      tags: ["hard", "new"],
      source: { trace_id: "t", span_id: "s" },
    });
    expect(readDraft(draftOf(row), row)).toEqual({ kind: "row", row });
  });

  it("gets an id from its inputs, and expects nothing where nothing is typed", () => {
    const read = readDraft({ ...EMPTY_DRAFT, inputs: '{"a": 1}', tags: " x ,, y" }, null);
    expect(read).toEqual({
      kind: "row",
      row: {
        id: expect.stringMatching(/^[0-9a-f]{16}$/),
        inputs: { a: 1 },
        metadata: {},
        tags: ["x", "y"],
        source: null,
      },
    });
  });

  it("says at each field what is wrong", () => {
    expect(readDraft({ id: "", inputs: "{", expected: "yes", tags: "" }, null)).toMatchObject({
      problems: { inputs: expect.stringMatching(/^Line 1/), expected: expect.any(String) },
    });
    expect(readDraft({ ...EMPTY_DRAFT, inputs: "[]" }, null)).toMatchObject({
      problems: { inputs: expect.stringContaining("Must be an object") },
    });
    expect(readDraft({ ...EMPTY_DRAFT, id: "x".repeat(201) }, null)).toMatchObject({
      problems: { id: expect.stringContaining("1 to 200 characters") },
    });
    expect(readDraft({ ...EMPTY_DRAFT, tags: "t".repeat(101) }, null)).toMatchObject({
      problems: { tags: expect.stringContaining("100 characters") },
    });
  });
});
