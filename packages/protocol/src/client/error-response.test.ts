import { expect, it } from "vitest";
import { readErrorResponse } from "./error-response.ts";

const DETAIL = [{ loc: ["body"], msg: "Required.", type: "missing" }];

it("reads the error body, the trace of a workflow's call, and when to try again", async () => {
  const response = new Response(JSON.stringify({ detail: DETAIL, trace_id: "abc" }), {
    status: 429,
    headers: { "retry-after": "2" },
  });
  expect(await readErrorResponse(response)).toEqual({
    status: 429,
    body: { detail: DETAIL, trace_id: "abc" },
    detail: DETAIL,
    traceId: "abc",
    retryAfterMs: 2000,
  });
});

it.each([
  ["", undefined],
  ["<html>Bad gateway</html>", undefined],
  ['{"detail":[]}', { detail: [] }],
  ['{"detail":"Not found"}', { detail: "Not found" }],
  ['{"detail":[{"msg":"no loc"}]}', { detail: [{ msg: "no loc" }] }],
])("%j is not an error body", async (text, body) => {
  const response = new Response(text, { status: 502, headers: { "retry-after": "soon" } });
  const error = { status: 502, body, detail: null, traceId: null, retryAfterMs: null };
  expect(await readErrorResponse(response)).toEqual(error);
});
