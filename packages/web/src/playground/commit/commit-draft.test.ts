import type { ConfigFieldSchema, RouteSchema } from "@agate/protocol";
import { expect, test } from "vitest";
import { readyColumn } from "../columns/column-view.ts";
import { columnOf } from "../state/workspace.ts";
import { draftParams } from "./commit-draft.ts";

function text(initial: string): ConfigFieldSchema {
  return { type: "string", default: initial, "x-ag-control": "text-area" };
}

const summarize: RouteSchema = {
  route: "/summarize",
  config: { tone: text("plain"), prompt: text("Say it.") },
  inputs: {},
};
const routes: readonly RouteSchema[] = [
  summarize,
  { route: "/embed", config: { model: text("small") }, inputs: {} },
];
const base = { variant: "default", revision: 3 };
const column = columnOf(1, { kind: "revision", ...base });

test("A commit keeps the other routes, and leaves unset fields to their defaults", () => {
  const params = { "/summarize": { prompt: "Say it well." }, "/embed": { model: "large" } };
  const draft = { ...column, draft: { base, changes: { tone: "formal" } } };
  expect(draftParams(routes, "/summarize", readyColumn(draft, base, params, summarize))).toEqual({
    "/summarize": { prompt: "Say it well.", tone: "formal" },
    "/embed": { model: "large" },
  });
});

test("A commit leaves out what no route takes any more", () => {
  const params = { "/summarize": { old: 1 }, "/gone": { a: 1 }, "/embed": { old: 2 } };
  const draft = { ...column, draft: { base, changes: { tone: "formal", older: 3 } } };
  const view = readyColumn(draft, base, params, summarize);
  expect(view.leftOut).toEqual(["old", "older"]);
  expect(draftParams(routes, "/summarize", view)).toEqual({
    "/summarize": { tone: "formal" },
    "/embed": {},
  });
});

test("A first commit says every field, so that it stays when the code's defaults change", () => {
  const first = columnOf(1, { kind: "defaults" });
  expect(draftParams(routes, "/summarize", readyColumn(first, null, {}, summarize))).toEqual({
    "/summarize": { tone: "plain", prompt: "Say it." },
  });
});
