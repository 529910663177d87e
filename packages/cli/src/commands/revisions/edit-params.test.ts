import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { collectRemoval, collectSetting, editParams } from "./edit-params.ts";

describe("--set", () => {
  it.each([
    ["/summarize.temperature=0.2", "/summarize", "temperature", 0.2],
    ["/summarize.tone=calm", "/summarize", "tone", "calm"],
    ['/summarize.tone="0.2"', "/summarize", "tone", "0.2"],
    ["/.bullets=true", "/", "bullets", true],
    ["/v1.2/chat.prompt=a=b.c", "/v1.2/chat", "prompt", "a=b.c"],
    ["/x.empty=", "/x", "empty", ""],
  ])("%s", (text, route, field, value) => {
    expect(collectSetting(text)).toEqual([{ route, field, value }]);
  });

  it.each(["temperature=1", "/summarize=1", "/summarize.temperature", "/summarize.=1", ""])(
    "%s is refused with the form to write",
    (text) => {
      expect(() => collectSetting(text)).toThrow(/\/route\.field=value/);
    },
  );
});

describe("the edited configuration", () => {
  it("has what was set, lacks what was unset, and keeps the rest", () => {
    const params = { "/a": { one: 1, two: 2 }, "/b": { three: 3 } };
    const edits = [
      ...collectSetting("/a.one=10"),
      ...collectSetting("/c.new=[1]"),
      ...collectRemoval("/a.two"),
    ];
    expect(editParams(params, edits)).toEqual({
      "/a": { one: 10 },
      "/b": { three: 3 },
      "/c": { new: [1] },
    });
    expect(params).toEqual({ "/a": { one: 1, two: 2 }, "/b": { three: 3 } });
  });

  it("takes every name as data", () => {
    const name = fc.oneof(fc.constantFrom("__proto__", "constructor", "toString"), fc.string());
    fc.assert(
      fc.property(name, name, fc.jsonValue(), (route, field, value) => {
        const edited = editParams({}, [{ route, field, value }]);
        expect(JSON.parse(JSON.stringify(edited))).toEqual(
          JSON.parse(
            `{${JSON.stringify(route)}:{${JSON.stringify(field)}:${JSON.stringify(value)}}}`,
          ),
        );
        expect(Object.getPrototypeOf(edited)).toBe(Object.prototype);
      }),
    );
  });
});
