import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "./messages.ts";
import { render } from "./render.ts";

describe("render", () => {
  it("puts values in the place of variables, in every message", () => {
    const prompt: Message[] = [
      { role: "system", content: "Answer in {{ language }}." },
      { role: "user", content: "{{text}}{{text}} ({{count}}, {{flag}}, {{list}})" },
    ];
    const values = { language: "French", text: "a$&b", count: 2, flag: false, list: [1, { a: 2 }] };
    expect(render(prompt, values)).toEqual([
      { role: "system", content: "Answer in French." },
      { role: "user", content: 'a$&ba$&b (2, false, [1,{"a":2}])' },
    ]);
    expect(prompt[0]!.content).toBe("Answer in {{ language }}.");
  });

  it("never reads a value as a template", () => {
    expect(render("{{a}} {{b}}", { a: "{{b}}", b: "{{a}}" })).toBe("{{b}} {{a}}");
  });

  it("leaves braces around anything that is not a name as they are", () => {
    const text = '{ {{}} {{ 1 }} {{a.b}} {{#if x}} {"a": {"b": 1}}';
    expect(render(text, {})).toBe(text);
  });

  it.each([
    [
      { topik: "bees" },
      'The prompt has {{topic}}, and ag.render was given no value for it, only for "topik". Pass { topic: … }, or take the variable out of the prompt.',
    ],
    [
      {},
      "The prompt has {{topic}}, and ag.render was given no value for it. Pass { topic: … }, or take the variable out of the prompt.",
    ],
    [{ topic: null }, "{{topic}}"],
    [{ topic: undefined }, "{{topic}}"],
    [Object.create({ topic: "inherited" }), "{{topic}}"],
  ])("says which variable has no value: %j", (values, message) => {
    expect(() => render("About {{topic}}.", values)).toThrow(message);
  });

  it("takes every name that objects inherit as a variable like any other", () => {
    expect(() => render("{{constructor}}", {})).toThrow("{{constructor}}");
    expect(render("{{constructor}}", { constructor: "x" })).toBe("x");
  });

  it("keeps the text around variables, whatever it is", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.string(), (texts, value) => {
        fc.pre(texts.every((text) => !/[{}]/.test(text)));
        expect(render(texts.join("{{name}}"), { name: value })).toBe(texts.join(value));
      }),
    );
  });
});
