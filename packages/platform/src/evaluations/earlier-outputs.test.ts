import type { RunResult } from "@agate/protocol";
import { beforeEach, expect, it } from "vitest";
import {
  type EarlierRun,
  earlierOutputs,
  MOST_HELD,
  MOST_HELD_CHARACTERS,
} from "./earlier-outputs.ts";

/** The cases that were read, in this order. */
let reads: string[];
beforeEach(() => {
  reads = [];
});

function outputs(results: EarlierRun["results"]) {
  const column = { name: "candidate", ref: "default", build: null, variant: null, revision: null };
  return earlierOutputs({
    run: { columns: [column], scorers: [] },
    hasTraces: true,
    results: (name, row) => {
      reads.push(row);
      return results(name, row);
    },
  });
}

function result(row: string, trial: number, output: unknown): RunResult {
  return {
    column: "candidate",
    case: row,
    trial,
    status: "ok",
    output,
    is_output_cut: false,
    error: null,
    trace_id: null,
    span_id: null,
    latency_ms: 1,
    cost: 0,
    judge_cost: 0,
    scores: [],
    created_at: "2026-01-01T00:00:00.000Z",
  };
}

/** A result whose JSON, in a list of its own, has so many characters. */
function resultOf(row: string, characters: number): RunResult {
  const empty = JSON.stringify([result(row, 0, "")]).length;
  return result(row, 0, "x".repeat(characters - empty));
}

it("reads a case once for all its trials", async () => {
  const stored = outputs(async (_, row) => [0, 1].map((trial) => result(row, trial, trial)));
  const found = await Promise.all([0, 1, 2].map((trial) => stored.find("a", trial)));
  expect(found.map((each) => each?.output)).toEqual([0, 1, undefined]);
  expect(reads).toEqual(["a"]);
});

it("holds the cases that were read last, up to a number of them", async () => {
  const stored = outputs(async (_, row) => [result(row, 0, row)]);
  const rows = Array.from({ length: MOST_HELD }, (_, n) => `case ${n}`);
  for (const row of [...rows, ...rows]) await stored.find(row, 0);
  expect(reads).toEqual(rows);
  await stored.find("one more", 0);
  // The oldest made room for it.
  for (const row of [...rows.slice(1), "one more"]) await stored.find(row, 0);
  expect(reads).toEqual([...rows, "one more"]);
  await stored.find("case 0", 0);
  expect(reads).toEqual([...rows, "one more", "case 0"]);
});

it.each([
  ["up to", 0, ["a", "b"]],
  ["above", 1, ["a", "b", "a"]],
])("holds cases %s a number of characters", async (_, more, expected) => {
  const half = MOST_HELD_CHARACTERS / 2;
  const sizes: Record<string, number> = { a: half, b: half + more };
  const stored = outputs(async (__, row) => [resultOf(row, sizes[row] ?? 0)]);
  await stored.find("a", 0);
  await stored.find("b", 0);
  // The one that was read last is held in any case.
  await stored.find("b", 0);
  await stored.find("a", 0);
  expect(reads).toEqual(expected);
});

it("holds one case that is larger than all may be, until the next", async () => {
  const stored = outputs(async (_, row) => [resultOf(row, MOST_HELD_CHARACTERS + 1)]);
  for (const row of ["a", "a", "b", "b"]) expect(await stored.find(row, 0)).toBeDefined();
  expect(reads).toEqual(["a", "b"]);
});

it("reads a case again that could not be read", async () => {
  const stored = outputs(async (_, row) => {
    if (reads.length === 1) throw new Error("no connection");
    return [result(row, 0, "there")];
  });
  await expect(stored.find("a", 0)).rejects.toThrow("no connection");
  expect((await stored.find("a", 0))?.output).toBe("there");
});
