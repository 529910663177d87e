import { expect, test, vi } from "vitest";
import { ApiError } from "../../api/api-error.ts";
import type { CallEvent } from "./call-route.ts";
import { outputValue, waitingRun } from "./run.ts";
import { type Call, RunBoard } from "./run-board.ts";

const request = { config: {}, inputs: {}, variant: null };

function boardOf(...events: readonly (CallEvent | Error)[]) {
  const call: Call = async function* () {
    for (const event of events) {
      if (event instanceof Error) throw event;
      yield event;
    }
  };
  const board = new RunBoard(call);
  board.start("1:1", request);
  return board;
}

async function ended(board: RunBoard) {
  return vi.waitFor(() => {
    const run = board.runs().get("1:1");
    if (run === undefined || run.status === "running") throw new Error("It is not ended.");
    return run;
  });
}

test("A stream of texts is one text in the end", async () => {
  const run = await ended(
    boardOf(
      { kind: "begun", traceId: "t1" },
      { kind: "chunk", chunk: "Agate " },
      { kind: "chunk", chunk: "is a stone." },
    ),
  );
  expect(run).toMatchObject({ status: "done", traceId: "t1" });
  expect(run.output && outputValue(run.output)).toBe("Agate is a stone.");
});

test("What had arrived before a failure stays, with the trace of the refusal", async () => {
  const body = { detail: [{ loc: [], msg: "It broke.", type: "function_failed" }], trace_id: "t2" };
  const run = await ended(boardOf({ kind: "chunk", chunk: "Half " }, new ApiError(200, body)));
  expect(run).toMatchObject({ status: "failed", traceId: "t2", error: { message: "It broke." } });
  expect(run.output && outputValue(run.output)).toBe("Half ");
});

test("What arrives after a stop is thrown away, and what had arrived stays", async () => {
  let goOn: () => void = () => undefined;
  const board = new RunBoard(async function* () {
    yield { kind: "chunk", chunk: "One" };
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
    yield { kind: "chunk", chunk: "Two" };
  });
  board.start("1:1", request);
  await vi.waitFor(() => expect(board.runs().get("1:1")?.output).not.toBeNull());
  board.stop("1:1");
  goOn();
  await new Promise((resolve) => setTimeout(resolve));
  const run = board.runs().get("1:1");
  expect(run?.status).toBe("stopped");
  expect(run?.output && outputValue(run.output)).toBe("One");
});

test("Kept runs are shown where nothing was run since", async () => {
  const board = boardOf({ kind: "value", value: "new" });
  await ended(board);
  const kept = { ...waitingRun(request), status: "done" } as const;
  const heard = vi.fn();
  board.subscribe(heard);
  board.restore(new Map([["1:1", kept], ["1:2", kept]])); // biome-ignore format: reads as a table
  expect(heard).toHaveBeenCalledOnce();
  expect(board.runs().get("1:1")?.output).toEqual({ kind: "value", value: "new" });
  expect(board.milestones().get("1:2")).toBe(kept);
});

test("Pieces that arrive together are put together once, however many they are", async () => {
  const outputs = new Set<unknown>();
  const board: RunBoard = new RunBoard(async function* () {
    for (let piece = 0; piece < 1000; piece += 1) {
      yield { kind: "chunk", chunk: "." };
      outputs.add(board.runs().get("1:1")?.output);
    }
  });
  board.start("1:1", request);
  const run = await ended(board);
  expect(run.output && outputValue(run.output)).toBe(".".repeat(1000));
  expect([...outputs]).toEqual([null]);
});

test("Milestones do not move while an answer streams", async () => {
  let goOn: () => void = () => undefined;
  const board = new RunBoard(async function* () {
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
    yield { kind: "chunk", chunk: "One" };
    await new Promise(() => undefined);
  });
  board.start("1:1", request);
  const before = board.milestones();
  goOn();
  await vi.waitFor(() => expect(board.runs().get("1:1")?.output).not.toBeNull());
  expect(board.milestones()).toBe(before);
});
