import { expect, it } from "vitest";
import { pathText } from "./shown-value.ts";

it("writes a path as a programmer would", () => {
  expect(pathText(["messages", 0, "content"])).toBe("messages[0].content");
  expect(pathText([0, "a b"])).toBe('[0]["a b"]');
});
