import type { JsonSchema } from "@agate/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  draftOf,
  emptyDraft,
  type InputDraft,
  parseDraft,
  switchToForm,
  switchToJson,
  typedProblems,
} from "./input-draft.ts";
import { inputFields } from "./input-fields.ts";

function object(properties: object, required: readonly string[] = Object.keys(properties)) {
  return { type: "object", properties, required };
}

const text = { type: "string" };

/** What a form says about each of its fields when it is sent. */
function problemsOf(schema: JsonSchema, draft: InputDraft): Record<string, string> {
  const parsed = parseDraft(schema, draft);
  return parsed.kind === "inputs"
    ? {}
    : Object.fromEntries(parsed.problems.map(({ path, message }) => [path.join("."), message]));
}

function form(fields: Extract<InputDraft, { mode: "form" }>["fields"]): InputDraft {
  return { mode: "form", fields };
}

describe("a draft", () => {
  const leaf = fc.constantFrom<JsonSchema>(
    {},
    text,
    { type: "string", format: "date" },
    { type: "string", default: "hello" },
    { type: ["string", "null"] },
    { type: "number", minimum: 0 },
    { type: "integer", exclusiveMaximum: 10 },
    { type: "boolean" },
    { type: "boolean", default: true },
    { enum: ["a", "b", 1, null] },
    { const: "only" },
    { anyOf: [text, { type: "null" }] },
    { anyOf: [{ type: "integer" }, { type: "null" }] },
    { oneOf: [{ const: "x" }, { const: "y" }] },
    { anyOf: [text, { type: "number" }] },
    { type: "array", items: text },
    { type: "array", items: { type: "number" } },
    { type: "object", properties: { inner: text } },
    { $ref: "#/$defs/Node" },
    { type: "null" },
  );
  const names = fc.constantFrom("text", "n", "flag", "list", "__proto__", "constructor", "a b");
  const schemas = fc.oneof(
    leaf,
    fc
      .record({
        properties: fc.dictionary(names, leaf),
        required: fc.subarray(["text", "n", "flag"]),
      })
      .map((parts) => ({
        type: "object",
        ...parts,
        $defs: { Node: { type: "object", properties: { next: { $ref: "#/$defs/Node" } } } },
      })),
  );
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom("", "a", "only", 0, 1, -1, 0.5, true, false, null, [], [""], ["a", "b"], {}),
  );
  const inputs = fc.oneof(fc.jsonValue(), fc.dictionary(names, value));

  it("of any recorded inputs is sent as the same inputs, whether they fit the schema or not", () => {
    fc.assert(
      fc.property(schemas, inputs, (schema, recorded) => {
        // As JSON has it: no minus zero, no prototypes.
        const given = JSON.parse(JSON.stringify(recorded));
        const draft = JSON.parse(JSON.stringify(draftOf(schema, given)));
        expect(parseDraft(schema, draft)).toEqual({ kind: "inputs", inputs: given });
      }),
      { numRuns: 1000 },
    );
  });

  it("says the same as JSON and by fields, wherever it can be switched", () => {
    fc.assert(
      fc.property(schemas, inputs, (schema, recorded) => {
        const draft = draftOf(schema, JSON.parse(JSON.stringify(recorded)));
        const parsed = parseDraft(schema, draft);
        const json = switchToJson(schema, draft);
        expect(json.kind === "switched" && parseDraft(schema, json.draft)).toEqual(parsed);
        if (draft.mode === "json" || json.kind === "refused") return;
        expect(switchToForm(schema, json.draft)).toEqual({ kind: "switched", draft });
      }),
      { numRuns: 500 },
    );
  });
});

describe("an empty draft", () => {
  it("shows the defaults, and sends what is seen", () => {
    const schema = object(
      {
        text,
        tone: { enum: ["loud", "calm"], default: "calm" },
        flag: { type: "boolean", default: true },
        question: { type: "string", default: "" },
        count: { type: "integer", default: 3 },
        tags: { type: "array", items: text },
        options: object({ depth: { type: "integer", minimum: 1 }, unit: { enum: ["m", "km"] } }),
      },
      ["text", "options"],
    );
    const draft = emptyDraft(schema);
    expect(draft).toEqual(
      form({
        text: "",
        tone: '"calm"',
        flag: "true",
        question: null,
        count: "3",
        tags: null,
        options: '{\n  "depth": 1,\n  "unit": "m"\n}',
      }),
    );
    expect(parseDraft(schema, draft)).toEqual({
      kind: "inputs",
      inputs: {
        text: "",
        tone: "calm",
        flag: true,
        count: 3,
        options: { depth: 1, unit: "m" },
      },
    });
  });

  it("is JSON where the schema does not name fields", () => {
    expect(emptyDraft({})).toEqual({ mode: "json", text: "{}" });
    expect(emptyDraft({ examples: [{ text: "" }] })).toEqual({
      mode: "json",
      text: '{\n  "text": ""\n}',
    });
    expect(emptyDraft({ type: "object" })).toEqual({ mode: "json", text: "{}" });
    expect(emptyDraft({ anyOf: [object({ url: text }), object({ file: text })] })).toEqual({
      mode: "json",
      text: '{\n  "url": ""\n}',
    });
  });

  it("is one field where the inputs are one text, number or choice", () => {
    expect(emptyDraft(text)).toEqual(form({ "": "" }));
    expect(parseDraft(text, form({ "": "Hello" }))).toEqual({ kind: "inputs", inputs: "Hello" });
    const count = { type: "integer", minimum: 1 };
    expect(draftOf(count, 3)).toEqual(form({ "": "3" }));
    expect(problemsOf(count, form({ "": "0" }))).toHaveProperty([""]);
    expect(typedProblems(count, form({ "": "" }))).toEqual([]);
    expect(switchToJson(count, form({ "": "" }))).toEqual({
      kind: "switched",
      draft: { mode: "json", text: "" },
    });
  });

  it("has no field at all where the route takes none", () => {
    const open = { type: "object", properties: {} };
    for (const schema of [open, { ...open, additionalProperties: false }]) {
      expect(inputFields(schema)).toEqual({ fields: [], isWhole: false });
      expect(parseDraft(schema, emptyDraft(schema))).toEqual({ kind: "inputs", inputs: {} });
    }
    expect(inputFields({ ...open, additionalProperties: {} })).toBeNull();
  });

  it("of a schema that contains itself ends", () => {
    const node = {
      type: "object",
      properties: { next: { $ref: "#/$defs/N" } },
      required: ["next"],
    };
    const schema = { ...object({ root: { $ref: "#/$defs/N" } }), $defs: { N: node } };
    expect(emptyDraft(schema)).toMatchObject({ mode: "form" });
    expect(inputFields({ $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/A" } } })).toBeNull();
  });
});

describe("an empty text", () => {
  it("is left out of an optional field, and is the empty text of a required one", () => {
    const schema = object({ text, note: text }, ["text"]);
    const parsed = parseDraft(schema, form({ text: "", note: "" }));
    expect(parsed).toEqual({ kind: "inputs", inputs: { text: "" } });
  });

  it("that was recorded of an optional field is kept, as JSON", () => {
    const schema = object({ note: text }, []);
    expect(draftOf(schema, { note: "" })).toEqual(form({ note: { json: '""' } }));
  });
});

describe("what is wrong", () => {
  const schema = object({
    count: { type: "integer", minimum: 1 },
    size: { type: "number" },
    tone: { enum: ["loud", "calm"] },
    options: { type: "object" },
    tags: { type: "array", items: { type: "number" } },
  });

  it("is said about each field", () => {
    const draft = form({
      count: "0",
      size: "big",
      tone: '"shrill"',
      options: "[]",
      tags: "[1,\n 2",
    });
    expect(problemsOf(schema, draft)).toEqual({
      count: "Must be 1 or more (got 0).",
      size: 'Must be a number (got "big").',
      tone: '"shrill" is no longer available. Choose another value.',
      options: "Must be an object (got a list).",
      tags: "Line 2, column 3: The closing ] is missing.",
    });
  });

  it("with fields that are still empty is said when they are sent, not before", () => {
    const draft = form({ count: "", size: "", tone: null, options: "", tags: "" });
    expect(problemsOf(schema, draft)).toEqual({
      count: "Must be a whole number.",
      size: "Must be a number.",
      tone: "Choose a value.",
      options: "Must be an object.",
      tags: "Must be a list.",
    });
    expect(typedProblems(schema, draft)).toEqual([]);
  });

  it("keeps a form from being switched only where something typed would be lost", () => {
    expect(switchToJson(schema, form({ size: "big" }))).toEqual({
      kind: "refused",
      reason: 'Fix size first: Must be a number (got "big").',
    });
    expect(switchToJson(schema, form({ size: "2" }))).toEqual({
      kind: "switched",
      draft: { mode: "json", text: '{\n  "size": 2\n}' },
    });
    expect(switchToForm(schema, { mode: "json", text: "{" })).toMatchObject({ kind: "refused" });
    expect(switchToForm(schema, { mode: "json", text: '{"sise": 2}' })).toEqual({
      kind: "refused",
      reason: 'The form has no field "sise". Remove it, or continue in JSON.',
    });
    expect(switchToForm(schema, { mode: "json", text: "[]" })).toMatchObject({ kind: "refused" });
  });
});

describe("a draft of an app that has changed since", () => {
  it("becomes JSON where a field is not there any more", () => {
    const draft = form({ text: "hello", count: "2", tone: '"calm"', old: ["a"], blank: "" });
    const schema = object({ text, count: { type: "integer" }, tone: { enum: ["calm"] } });
    expect(parseDraft(schema, draft)).toEqual({
      kind: "inputs",
      inputs: { text: "hello", count: 2, tone: "calm", old: ["a"] },
    });
  });

  it("keeps what was typed where a field has another type now", () => {
    const draft = form({ text: ["a", "b"], tags: "one" });
    const schema = object({ text, tags: { type: "array", items: text } });
    expect(parseDraft(schema, draft)).toEqual({
      kind: "inputs",
      inputs: { text: '["a","b"]', tags: ["one"] },
    });
  });
});
