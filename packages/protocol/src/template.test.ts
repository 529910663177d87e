import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitTemplate, templateName, unknownVariable } from "./template.ts";

describe("splitTemplate", () => {
  it.each([
    ["Hi.", []],
    ["{{a}}", ["a"]],
    ["{{ a }}{{\n$b_1\n}} {{été}}", ["a", "$b_1", "été"]],
    ["{{a}} {{a}}", ["a", "a"]],
    ["{{}} {{ }} {{1}} {{a b}} {{a.b}} {a} {{#if}}", []],
    ["{{{a}}}", ["a"]],
    ["{{{{a}}}}", ["a"]],
  ])("finds the variables of %j", (text, variables) => {
    const found = splitTemplate(text).flatMap(({ variable }) => variable ?? []);
    expect(found).toEqual(variables);
  });

  it("loses nothing of any text", () => {
    const piece = fc.oneof(fc.constantFrom("{{", "}}", "{", "a", " ", "{{a}}"), fc.string());
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join("");
        const parts = splitTemplate(text);
        expect(parts.map((part) => part.text).join("")).toBe(text);
        expect(parts.every((part) => part.text !== "")).toBe(true);
      }),
    );
  });

  it("reads a megabyte of braces in one pass", () => {
    const text = "{{ ".repeat(350_000);
    expect(splitTemplate(text)).toEqual([{ text }]);
  });
});

it("names the first variable that is not known, and what is", () => {
  expect(unknownVariable("{{a}} {{b}} {{c}}", ["a"])).toBe("b");
  expect(unknownVariable("{{a}}", ["a"])).toBeUndefined();
  expect(templateName([])).toBe("a text without variables");
  expect(templateName(["a"])).toBe("a text whose variables are {{a}}");
  expect(templateName(["a", "b", "c"])).toBe("a text whose variables are {{a}}, {{b}} or {{c}}");
});
