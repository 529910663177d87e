import { expect, it } from "vitest";
import { readJson } from "./json-syntax.ts";

it("reads JSON", () => {
  expect(readJson(' {"a": [1, true, null, "\\u00e9"]} ')).toEqual({
    kind: "value",
    value: { a: [1, true, null, "é"] },
  });
});

it("names the place of a fault", () => {
  expect(readJson('{\n  "a": 1\n  "b": 2\n}')).toEqual({
    kind: "broken",
    fault: { position: 13, message: "Line 3, column 3: Expected a comma or } here." },
  });
});
