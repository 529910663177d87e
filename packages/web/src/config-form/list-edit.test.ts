import { describe, expect, it } from "vitest";
import { editList, focusAfter } from "./list-edit.tsx";

describe("editList", () => {
  const items = ["a", "b", "c"];

  it("adds, changes, removes and moves, and leaves the list it was given alone", () => {
    expect(editList(items, { kind: "add", item: "d" })).toEqual(["a", "b", "c", "d"]);
    expect(editList(items, { kind: "change", index: 1, item: "x" })).toEqual(["a", "x", "c"]);
    expect(editList(items, { kind: "remove", index: 0 })).toEqual(["b", "c"]);
    expect(editList(items, { kind: "up", index: 2 })).toEqual(["a", "c", "b"]);
    expect(editList(items, { kind: "down", index: 0 })).toEqual(["b", "a", "c"]);
    expect(editList(items, { kind: "up", index: 0 })).toEqual(items);
    expect(editList(items, { kind: "down", index: 2 })).toEqual(items);
    expect(items).toEqual(["a", "b", "c"]);
  });

  it.each([
    [{ kind: "up", index: 2 }, "up 1"],
    [{ kind: "up", index: 1 }, "down 0"],
    [{ kind: "down", index: 0 }, "down 1"],
    [{ kind: "down", index: 1 }, "up 2"],
    [{ kind: "remove", index: 0 }, "remove 0"],
    [{ kind: "remove", index: 2 }, "remove 1"],
    [{ kind: "add", item: "d" }, "item 3"],
    [{ kind: "change", index: 0, item: "x" }, null],
  ] as const)("keeps the focus at an enabled button: %j", (edit, place) => {
    expect(focusAfter(edit, 3)).toBe(place);
  });

  it("goes to the button that adds when nothing is left", () => {
    expect(focusAfter({ kind: "remove", index: 0 }, 1)).toBe("add");
  });
});
