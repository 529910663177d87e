import type { ConfigFieldSchema } from "@agate/protocol";
import { describe, expect, it } from "vitest";
import { fieldChange } from "./field-change.ts";

const temperature: ConfigFieldSchema = { type: "number", default: 0.7, "x-ag-control": "slider" };
const prompt: ConfigFieldSchema = { type: "string", default: "", "x-ag-control": "text-area" };
const long = "Summarise what follows for somebody who is in a hurry and knows nothing of it.";

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
