import type { SpanRecord } from "@agate/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ApiError } from "../../api/api-error.ts";
import { type Run, waitingRun } from "../running/run.ts";
import { fitRun, packRun, sizeOf, unpackRun } from "./packed-run.ts";

const request = { config: { tone: "plain" }, inputs: { text: "Agate" }, variant: "default@3" };
const trace = { id: "s1", trace_id: "t1", children: null } as unknown as SpanRecord;
const done: Run = {
  ...waitingRun(request),
  status: "done",
  output: { kind: "value", value: { said: "AGATE" } },
  trace,
  traceId: "t1",
  elapsedMs: 12,
};

function again(run: Run, limit = Number.POSITIVE_INFINITY): Run | null {
  const fitting = fitRun(packRun(run)!, limit);
  return fitting && unpackRun(fitting);
}

test("A run comes back as it was", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.array(fc.jsonValue()), (value, chunks) => {
      for (const output of [
        { kind: "value", value } as const,
        { kind: "stream", chunks } as const,
      ]) {
        const run = { ...done, output: JSON.parse(JSON.stringify(output)) };
        expect(again(run)).toEqual(run);
      }
    }),
  );
});

test("Why a run failed comes back, with what the platform has said", () => {
  const body = { detail: [{ loc: ["body"], msg: "No.", type: "nope" }], stack: "at f" };
  const failed = again({ ...done, status: "failed", error: new ApiError(422, body) });
  expect(failed?.error).toBeInstanceOf(ApiError);
  expect(failed?.error).toMatchObject({ status: 422, message: "No.", body });
  const broken = again({ ...done, status: "failed", error: new Error("It broke off.") });
  expect(broken?.error).toEqual(new Error("It broke off."));
});

test.each(["waiting", "running"] as const)("What was %s has stopped with the page", (status) => {
  expect(again({ ...done, status, startedAt: 3 })).toMatchObject({
    status: "stopped",
    startedAt: null,
  });
});

test("On both sides of each limit: whole, without its trace, without its output, not at all", () => {
  const packed = packRun(done)!;
  const whole = sizeOf(packed);
  const traceless = whole - packed.trace!.length;
  const bare = packed.head.length;
  expect(again(done, whole)).toEqual(done);
  expect(again(done, whole - 1)).toEqual({ ...done, trace: null });
  expect(again(done, traceless)).toEqual({ ...done, trace: null });
  const without = { ...done, trace: null, output: null, leftOut: packed.output!.length };
  expect(again(done, traceless - 1)).toEqual(without);
  expect(again(done, bare)).toEqual(without);
  expect(again(done, bare - 1)).toBeNull();
  // What was left out once is still known to be missing the next time.
  expect(again(again(done, bare)!)).toEqual(without);
});

test("What is nested too deeply to be written is left out", () => {
  const deep = JSON.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`);
  const run = again({ ...done, output: { kind: "value", value: deep } });
  expect(run).toMatchObject({ status: "done", output: null, leftOut: 0, trace: { id: "s1" } });
  expect(packRun({ ...done, request: { config: {}, inputs: deep, variant: null } })).toBeNull();
});

test("What another version of the page has kept is no run", () => {
  expect(unpackRun({ head: "{", output: null, trace: null, leftOut: null })).toBeNull();
});
