import { expect, it } from "vitest";
import { additionRefusal, MOST_ADDED } from "./selection-bar.tsx";

it("refuses to add more calls at once than are read for it, and says how many", () => {
  expect(additionRefusal(MOST_ADDED)).toBeNull();
  expect(additionRefusal(MOST_ADDED + 1)).toContain("(501 selected)");
});
