import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  collectRemoval,
  collectSetting,
  editParams,
  isAmbiguous,
  resolveEdit,
  type TypedEdit,
} from "./edit-params.ts";

function resolved(edits: readonly TypedEdit[], ...routes: string[]) {
  return edits.map((edit) => resolveEdit(edit, routes));
}

describe("--set", () => {
  it.each([
    ["/summarize.temperature=0.2", "/summarize", ["temperature"], 0.2],
    ["/summarize.tone=calm", "/summarize", ["tone"], "calm"],
    ['/summarize.tone="0.2"', "/summarize", ["tone"], "0.2"],
    ["/.bullets=true", "/", ["bullets"], true],
    ["/v1.2/chat.prompt=a=b.c", "/v1.2/chat", ["prompt"], "a=b.c"],
    ["/x.empty=", "/x", ["empty"], ""],
    ["/search.retrieval.topK=3", "/search", ["retrieval", "topK"], 3],
    ["/.weights.2=0.5", "/", ["weights", "2"], 0.5],
  ])("%s", (text, route, path, value) => {
    expect(resolved(collectSetting(text))).toEqual([{ route, path, value }]);
  });

  it("takes the longest known route for the route", () => {
    const edits = collectSetting("/v1.2.prompt.text=x");
    expect(edits.map(isAmbiguous)).toEqual([true]);
    expect(resolved(edits, "/v1", "/v1.2")).toMatchObject([
      { route: "/v1.2", path: ["prompt", "text"] },
    ]);
    expect(resolved(edits, "/v1")).toMatchObject([{ route: "/v1", path: ["2", "prompt", "text"] }]);
    expect(collectSetting("/v1.2/chat.prompt=x").map(isAmbiguous)).toEqual([false]);
  });

  it.each([
    "temperature=1",
    "/summarize=1",
    "/summarize.temperature",
    "/summarize.=1",
    "/a..b=1",
    "",
  ])("%s is refused with the form to write", (text) => {
    expect(() => collectSetting(text)).toThrow(/\/route\.field=value/);
  });
});

describe("the edited configuration", () => {
  it("has what was set, lacks what was unset, and keeps the rest", () => {
    const params = { "/a": { one: 1, two: 2 }, "/b": { three: 3 } };
    const edits = [
      ...collectSetting("/a.one=10"),
      ...collectSetting("/c.new=[1]"),
      ...collectRemoval("/a.two"),
      ...collectRemoval("/d.never"),
    ];
    expect(editParams(params, resolved(edits))).toEqual({
      "/a": { one: 10 },
      "/b": { three: 3 },
      "/c": { new: [1] },
    });
    expect(params).toEqual({ "/a": { one: 1, two: 2 }, "/b": { three: 3 } });
  });

  it("is edited inside of objects and lists", () => {
    const params = { "/": { retrieval: { topK: 5, weights: [1, 2, 3] } } };
    const edits = [
      ...collectSetting("/.retrieval.topK=3"),
      ...collectSetting("/.retrieval.weights.1=9"),
      ...collectRemoval("/.retrieval.weights.0"),
      ...collectSetting("/.style.tone=calm"),
    ];
    expect(editParams(params, resolved(edits))).toEqual({
      "/": { retrieval: { topK: 3, weights: [9, 3] }, style: { tone: "calm" } },
    });
  });

  it.each([
    ["/.list.3=1", "The list has no item 3. Set the whole list."],
    ["/.list.x=1", "The list has no item x."],
    ["/.count.x=1", "There is nothing to set at x"],
  ])("%s says why it leads nowhere", (text, message) => {
    const params = { "/": { list: [1, 2, 3], count: 1 } };
    expect(() => editParams(params, resolved(collectSetting(text)))).toThrow(message);
  });

  it("takes every name as data", () => {
    const name = fc.oneof(fc.constantFrom("__proto__", "constructor", "toString"), fc.string());
    fc.assert(
      fc.property(name, name, fc.jsonValue(), (route, field, value) => {
        const edited = editParams({}, [{ route, path: [field], value }]);
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
