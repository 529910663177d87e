import { expect, it } from "vitest";
import { parseSignal } from "./parse-signal.ts";

it.each([
  ["access", { kind: "access" }],
  ["config app_1", { kind: "config", applicationId: "app_1" }],
  ["builds app_1", { kind: "builds", applicationId: "app_1" }],
])("reads %j", (payload, signal) => {
  expect(parseSignal(payload)).toEqual(signal);
});

it.each(["", "config", "config ", "config app_1 more", "access all", "quotas app_1"])(
  "takes %j for anything",
  (payload) => {
    expect(parseSignal(payload)).toEqual({ kind: "everything" });
  },
);
