import type { ConfigFieldSchema, RouteSchema } from "@agate/protocol";
import { expect, test } from "vitest";
import { readyColumn } from "../columns/column-view.ts";
import { columnOf } from "../state/workspace.ts";
import { draftParams, effectiveParams } from "./commit-draft.ts";

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

test("A first commit leaves the defaults to the registry, which stores them", () => {
  const first = columnOf(1, { kind: "defaults" });
  const send = (changes: Record<string, unknown>) => {
    const draft = { ...first, draft: { base: null, changes } };
    return draftParams(routes, "/summarize", readyColumn(draft, null, {}, summarize));
  };
  expect(send({})).toEqual({ "/summarize": {} });
  expect(send({ tone: "formal" })).toEqual({ "/summarize": { tone: "formal" } });
});

test("A revision that holds every field is no change from one that leaves them to the code", () => {
  const sparse = effectiveParams(routes, { "/summarize": { tone: "formal" } });
  const complete = {
    "/summarize": { tone: "formal", prompt: "Say it." },
    "/embed": { model: "small" },
  };
  expect(sparse).toEqual(complete);
  expect(effectiveParams(routes, complete)).toEqual(complete);
  expect(effectiveParams(routes, { "/gone": { a: 1 } })).toMatchObject({ "/gone": { a: 1 } });
});
