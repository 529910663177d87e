import { expect, it } from "vitest";
import { progressBar } from "./progress-bar.ts";

it.each([
  [0, 10, "░░░░░░░░░░░░░░░░░░░░   0%"],
  [1, 100_000, "▏░░░░░░░░░░░░░░░░░░░   0%"],
  [3, 8, "███████▌░░░░░░░░░░░░  37%"],
  [9_999, 10_000, "████████████████████  99%"],
  [12, 10, "████████████████████ 100%"],
  [0, 0, "████████████████████ 100%"],
])("shows %i of %i", (done, total, bar) => {
  expect(progressBar(done, total)).toBe(bar);
});
