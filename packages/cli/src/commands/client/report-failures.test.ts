import type { ErrorDetail } from "@agate/protocol";
import { describe, expect, it } from "vitest";
import { ApiFailure } from "../../api-client/api-failure.ts";
import { CommandFailure } from "./failures.ts";
import { describeFailure } from "./report-failures.ts";

const url = "http://127.0.0.1:4100";

function refusal(
  detail: ErrorDetail[],
  more: {
    readonly retryAfterSeconds?: number;
    readonly log?: string[];
    readonly traceId?: string;
  } = {},
) {
  const why = {
    kind: "refused",
    status: 422,
    detail,
    retryAfterSeconds: null,
    log: [],
    traceId: null,
    ...more,
  } as const;
  return describeFailure(new ApiFailure(url, why)).lines;
}

describe("a failure", () => {
  it("of the connection says what to do", () => {
    expect(describeFailure(new ApiFailure(url, { kind: "unreachable" })).lines).toEqual([
      "agate: No Agate platform answers at http://127.0.0.1:4100. Start one with `agate server`, or name another with --url.",
    ]);
  });

  it("has its place where the sentence alone does not say it", () => {
    const params = ["body", "params", "/summarize", "temperature"];
    expect(
      refusal([{ loc: params, msg: "Must be at most 2 (got 3).", type: "params_invalid" }]),
    ).toEqual(["agate: /summarize.temperature: Must be at most 2 (got 3)."]);
    expect(
      refusal([
        { loc: ["body", "variant"], msg: 'There is no variant "x".', type: "variant_not_found" },
      ]),
    ).toEqual(['agate: There is no variant "x".']);
  });

  it("has every reason, a line each, and the build's own last lines", () => {
    const detail = ["one", "two"].map((msg) => ({ loc: ["body", "config", msg], msg, type: "x" }));
    expect(refusal(detail, { log: ["  at app.ts:3", "\u001b[31mError\u001b[0m"] })).toEqual([
      "agate: Rejected for 2 reasons:",
      "  config.one: one",
      "  config.two: two",
      "",
      "Last lines of the build's log:",
      "    at app.ts:3",
      "  Error",
    ]);
  });

  it.each([
    ["key_missing", "No key. Pass a key with --api-key or AGATE_API_KEY."],
    ["key_invalid", "No key. Check --api-key or AGATE_API_KEY."],
    ["scope_missing", "No key. Use another key with --api-key or AGATE_API_KEY."],
  ])("%s says where a key comes from", (type, text) => {
    expect(refusal([{ loc: [], msg: "No key.", type }])).toEqual([`agate: ${text}`]);
  });

  it("says when to try again where the platform does", () => {
    const detail = [{ loc: [], msg: "Too many requests.", type: "rate_limited" }];
    expect(refusal(detail, { retryAfterSeconds: 7 })).toEqual([
      "agate: Too many requests. Try again in 7 s.",
    ]);
  });

  it("names the trace of a call", () => {
    const detail = [{ loc: [], msg: "No.", type: "x" }];
    expect(refusal(detail, { traceId: "0af7" })).toEqual(["agate: No.", "trace 0af7"]);
  });

  it("is one line, whatever the server put into its message", () => {
    const failure = describeFailure(new CommandFailure("a\u001b[2J\nb"));
    expect(failure.lines).toEqual(["agate: a b"]);
  });
});
