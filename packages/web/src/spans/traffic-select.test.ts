import { expect, it } from "vitest";
import { trafficOf } from "./traffic-select.tsx";

it.each([
  [{}, "live"],
  [{ traffic: "evaluation" }, "evaluation"],
  [{ traffic: "all" }, "all"],
  [{ traffic: "other" }, "live"],
  [{ run: "r1" }, "evaluation"],
  [{ run: "r1", traffic: "live" }, "live"],
] as const)("of %o is %s", (search, traffic) => {
  expect(trafficOf(search)).toBe(traffic);
});
