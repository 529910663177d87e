import type { ConfigFieldSchema } from "@agate/protocol";
import { describe, expect, it } from "vitest";
import { expandedDiff, fieldChange } from "./field-change.ts";

const temperature: ConfigFieldSchema = { type: "number", default: 0.7, "x-ag-control": "slider" };
const prompt: ConfigFieldSchema = { type: "string", default: "", "x-ag-control": "text-area" };
const long = "Summarise the following text for a reader in a hurry without prior knowledge.";

describe("fieldChange", () => {
  it("puts the default where a side says nothing", () => {
    const added = fieldChange({ field: "temperature", change: "added", to: 0.2 }, temperature);
    expect(added.from).toEqual({ value: 0.7, isDefault: true });
    expect(added.to).toEqual({ value: 0.2, isDefault: false });
    const removed = fieldChange(
      { field: "temperature", change: "removed", from: 0.2 },
      temperature,
    );
    expect(removed.to).toEqual({ value: 0.7, isDefault: true });
  });

  it("says when only the wording changes: a default that is now said", () => {
    const same = fieldChange({ field: "temperature", change: "added", to: 0.7 }, temperature);
    expect(same.hasNoEffect).toBe(true);
    const other = fieldChange({ field: "temperature", change: "added", to: 0.8 }, temperature);
    expect(other.hasNoEffect).toBe(false);
  });

  it("guesses no default without a schema", () => {
    const unknown = fieldChange({ field: "x", change: "added", to: 1 }, undefined);
    expect(unknown.from).toEqual({ value: undefined, isDefault: true });
    expect(unknown.hasNoEffect).toBe(false);
  });

  it("compares word by word what is too long for a line, and no choices", () => {
    const texts = (to: unknown, schema?: ConfigFieldSchema) =>
      fieldChange({ field: "prompt", change: "changed", from: "short", to }, schema).texts;
    expect(texts(long, prompt)).toEqual({ from: "short", to: long });
    expect(texts("a\nb", prompt)).toEqual({ from: "short", to: "a\nb" });
    expect(texts({ a: [1] })).toEqual({ from: "short", to: '{\n  "a": [\n    1\n  ]\n}' });
    expect(texts("also short", prompt)).toBeNull();
    expect(texts(12, prompt)).toBeNull();
    expect(texts(long, { ...prompt, enum: ["short", long] })).toBeNull();
  });

  it("compares a long text with the default that it replaces, where that is known", () => {
    const added = { field: "prompt", change: "added", to: long } as const;
    expect(fieldChange(added, prompt).texts).toEqual({ from: "", to: long });
    expect(fieldChange(added, undefined).texts).toBeNull();
  });
});

describe("expandedDiff", () => {
  const config: Readonly<Record<string, ConfigFieldSchema>> = {
    retrieval: { type: "object", default: { topK: 5, weights: [1] }, "x-ag-control": "group" },
  };

  it("tells the changes inside of a field, against the default where a side lacks it", () => {
    const to = { topK: 3, weights: [1, 2] };
    expect(expandedDiff({ field: "retrieval", change: "added", to }, config)).toEqual([
      { field: "retrieval.topK", change: "changed", from: 5, to: 3 },
      { field: "retrieval.weights[1]", change: "added", to: 2 },
    ]);
    expect(expandedDiff({ field: "retrieval", change: "removed", from: to }, config)).toEqual([
      { field: "retrieval.topK", change: "changed", from: 3, to: 5 },
      { field: "retrieval.weights[1]", change: "removed", from: 2 },
    ]);
  });

  it("leaves everything else as it is", () => {
    const same = { field: "retrieval", change: "added", to: { topK: 5, weights: [1] } } as const;
    expect(expandedDiff(same, config)).toEqual([same]);
    const text = { field: "tone", change: "changed", from: "a", to: "b" } as const;
    expect(expandedDiff(text, config)).toEqual([text]);
    const unset = { field: "retrieval", change: "changed", from: null, to: { topK: 1 } } as const;
    expect(expandedDiff(unset, config)).toEqual([unset]);
  });
});
