import { expect, test } from "vitest";
import { entrypointFirst } from "./applications.ts";

test("The entrypoint comes first, and the others as they were declared", () => {
  const paths = (routes: readonly string[]) => entrypointFirst(routes, (path) => path);
  expect(paths(["/embed", "/b", "/", "/a"])).toEqual(["/", "/embed", "/b", "/a"]);
  expect(paths(["/b", "/a"])).toEqual(["/b", "/a"]);
});
