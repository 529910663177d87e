import { expect, test } from "vitest";
import { seriesPaint } from "../charts/chart-series.ts";
import { figures } from "./analytics.fixture.ts";
import { GROUP_COLUMNS, nextSort, parseSort, sortGroups } from "./group-columns.ts";
import { LEFT_OUT } from "./shown-groups.ts";

const groups = [
  { label: "shop", count: 3, cost: null },
  { label: "desk", count: 9, cost: 0.5 },
  { label: "answer", count: 1, cost: 2 },
].map(({ label, count, cost }) => ({
  id: label,
  label,
  key: label,
  paint: seriesPaint(0),
  figures: figures({ count, cost }),
  buckets: [],
}));

const sorted = (sort: string | undefined) =>
  sortGroups(groups, parseSort(sort)).map(({ label }) => label);

test("groups are sorted by calls, or by another column", () => {
  expect(sorted(undefined)).toEqual(["desk", "shop", "answer"]);
  expect(sorted("nonsense")).toEqual(["desk", "shop", "answer"]);
  expect(sorted("-calls")).toEqual(["answer", "shop", "desk"]);
  expect(sorted("-name")).toEqual(["answer", "desk", "shop"]);
});

test("unknown values come last in both directions", () => {
  expect(sorted("cost")).toEqual(["answer", "desk", "shop"]);
  expect(sorted("-cost")).toEqual(["desk", "answer", "shop"]);
});

test("the rest without a row of its own comes last", () => {
  const rest = { ...groups[1]!, id: LEFT_OUT, label: "2 more", key: undefined };
  for (const sort of ["calls", "-calls", "cost", "-name"]) {
    const labels = sortGroups([rest, ...groups], parseSort(sort)).map(({ label }) => label);
    expect(labels.at(-1)).toBe("2 more");
  }
});

test("a click sorts descending, a second one ascending", () => {
  expect(nextSort(parseSort("calls"), "p95")).toBe("p95");
  expect(nextSort(parseSort("p95"), "p95")).toBe("-p95");
  expect(nextSort(parseSort("-p95"), "p95")).toBe("p95");
  expect(nextSort(parseSort("calls"), "name")).toBe("-name");
});

test("cost and tokens say of how many calls they are, unless of all or of none", () => {
  const parts = (known: number) => {
    const tokens = { input: 1, output: 2, total: 3 };
    const of = figures({ count: 9, cost: 0.5, with_cost: known, tokens, with_tokens: known });
    return GROUP_COLUMNS.flatMap(({ name, part }) => (part(of) === null ? [] : [name, part(of)]));
  };
  expect([parts(0), parts(9)]).toEqual([[], []]);
  const some = "5 of 9 calls";
  expect(parts(5)).toEqual(["input", some, "output", some, "cost", some]);
  const part = figures({ count: 9, cost: 0.5, with_cost: 6, priced: { count: 5, cost: 0.25 } });
  const cost = GROUP_COLUMNS.find(({ name }) => name === "cost");
  expect(cost?.part(part)).toBe("5 of 9 calls, 1 in part");
});
