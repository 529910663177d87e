import { expect, it } from "vitest";
import { type ChangeStep, withStep } from "./change-steps.tsx";

it("replaces the beginning of a step by its end, in its place", () => {
  const told: readonly ChangeStep[] = [
    { step: "start", state: "begun", detail: "" },
    { step: "start", state: "done", detail: "1.2 s" },
    { step: "check", state: "begun", detail: "" },
    { step: "start", state: "done", detail: "again" },
  ];
  expect(told.reduce<readonly ChangeStep[]>(withStep, [])).toEqual([
    { step: "start", state: "done", detail: "again" },
    { step: "check", state: "begun", detail: "" },
  ]);
});
