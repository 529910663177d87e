import type { ListedSpan } from "@agate/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../running-server.ts";
import { startServer } from "../running-server.ts";
import { sendOtlp } from "../send-otlp.ts";
import { sendSpans } from "../sent-span.ts";
import type { AgateClient } from "./agate-client.ts";
import { clientOf, spawnedClientOf, startAgate } from "./agate-client.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const ESCAPES = "\u001b]0;owned\u0007\u001b[2Jchat\u009b31m";

let server: RunningServer;
let agate: AgateClient;

beforeAll(async () => {
  server = await startServer();
  agate = clientOf(server.url);
  const start = Date.now() - 1000;
  await sendOtlp(server.url, [
    {
      traceId: TRACE,
      spanId: "00000000000000a1",
      name: "answer",
      start,
      end: start + 1000,
      attributes: {
        "ag.span.kind": "WORKFLOW",
        "ag.application": "support",
        "ag.environment": "production",
        "ag.route": "/answer",
        "ag.variant.name": "default",
        "ag.variant.revision": 3,
        "user.id": "u-17",
      },
    },
    {
      traceId: TRACE,
      spanId: "00000000000000a2",
      parentSpanId: "00000000000000a1",
      name: ESCAPES,
      start: start + 250,
      end: start + 750,
      status: { code: 2, message: "The model is\noverloaded." },
      attributes: {
        "ag.span.kind": "LLM",
        "gen_ai.request.model": "gpt-5-mini",
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 20,
        "input.value": `${ESCAPES} please`,
      },
    },
  ]);
});
afterAll(() => server[Symbol.asyncDispose]());

describe("agate traces", () => {
  it("lists traces, in a pipe with everything in full", async () => {
    const { code, stdout, stderr } = await spawnedClientOf(server.url)(
      "traces",
      "--app",
      "support",
    );
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(
      new RegExp(
        `^TIME +NAME +STATUS +LATENCY +TOKENS +COST +VARIANT +ENVIRONMENT +TRACE\n.*Z +answer +UNSET, 1 failed +1\\.00 s +120 +\\$\\S+ +default@3 +production +${TRACE}\n$`,
      ),
    );
  });

  it.each([
    [["--environment", "production", "--user", "u-17", "--since", "1h"], 1],
    [["--environment", "staging"], 0],
    [["--route", "/answer", "--variant", "default", "--revision", "3"], 1],
    [["--route", "/"], 0],
    [["--revision", "2"], 0],
    [["--min-latency", "1000", "--min-cost", "0"], 1],
    [["--min-latency", "1001"], 0],
    [["--status", "ERROR"], 0],
    [["--any-error", "--status", "UNSET"], 1],
    [["--any-error", "--environment", "staging"], 0],
    [["--to", "2001-01-01"], 0],
  ])("%j finds %i", async (filters, count) => {
    const { stdout } = await agate("traces", ...filters, "--json");
    expect((JSON.parse(stdout) as { items: unknown[] }).items).toHaveLength(count);
  });

  it("prints previews of long values as JSON, and all of them with --full", async () => {
    const inputs = "What is agate? ".repeat(1_000).trim();
    const start = Date.now();
    const span = { traceId: "2".repeat(32), spanId: "00000000000000b1", name: "long", start };
    const attributes = { "ag.application": "long", "ag.content.inputs": JSON.stringify(inputs) };
    await sendOtlp(server.url, [{ ...span, end: start + 1, attributes }]);
    const list = async (...flags: readonly string[]) => {
      const { stdout } = await agate("traces", "--app", "long", "--json", ...flags);
      return (JSON.parse(stdout) as { items: ListedSpan[] }).items[0];
    };
    const preview = await list();
    expect(preview?.content.inputs).toBe(inputs.slice(0, 300));
    expect(preview?.truncated).toEqual({ "content.inputs": inputs.length + 2 });
    const full = await list("--full");
    expect([full?.content.inputs, full?.truncated]).toEqual([inputs, undefined]);
  });

  it("says what is wrong with a filter that only the server can check", async () => {
    const { code, stderr } = await agate("traces", "--from", "yesterday");
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^agate: from: .*ISO 8601/)]);
  });
});

describe("agate trace", () => {
  it("draws the tree, and nothing recorded reaches the terminal", async () => {
    const { code, stdout } = await agate("trace", TRACE);
    expect(code).toBe(0);
    const [head, whose, totals, empty, ...tree] = stdout.trimEnd().split("\n");
    expect(head).toMatch(new RegExp(`^Trace ${TRACE} {2}.*Z \\(\\d+ s ago\\)$`));
    expect([whose, empty]).toEqual(["support · default@3 · production · user u-17", ""]);
    expect(totals).toMatch(/^UNSET · 1\.00 s · 2 spans · 120 tokens · \$/);
    expect(tree).toEqual([
      expect.stringMatching(/^· answer +WORKFLOW +1\.00 s █{40} +00000000000000a1$/),
      expect.stringMatching(/^└─ ✗ chat +LLM +500 ms {11}█{20} +120 +\$\S+ 00000000000000a2$/),
      "      The model is overloaded.",
    ]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about.
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });

  it("shows one span with what was recorded of it, whichever way the trace is written", async () => {
    const uuid = "0AF76519-16CD-43DD-8448-EB211C80319C";
    const { code, stdout } = await agate("trace", uuid, "--span", "00000000000000a2");
    expect(code).toBe(0);
    expect(stdout).toMatch(/\nmodel +gpt-5-mini\n[\s\S]*\ninputs\n {2}chat please\n/);
    const other = await agate("trace", "f".repeat(32), "--span", "00000000000000a2");
    expect(other.stderr).toBe(`agate: Span 00000000000000a2 belongs to another trace: ${TRACE}.\n`);
    expect(other.code).toBe(1);
  });

  it("gives the API's own document with --json", async () => {
    const answer = await (await fetch(`${server.url}/observability/traces/${TRACE}/`)).text();
    expect((await agate("trace", TRACE, "--json")).stdout).toBe(`${answer}\n`);
  });

  it("draws a large trace, which the platform answers with in pieces", async () => {
    const traceId = "1".repeat(32);
    const start = Date.now() * 1000;
    const spans = Array.from({ length: 5_001 }, (_, index) => ({
      traceId,
      spanId: (index + 1).toString(16).padStart(16, "0"),
      parentSpanId: index === 0 ? null : (((index - 1) >> 3) + 1).toString(16).padStart(16, "0"),
      name: `step ${index}`,
      start: start + index,
      inputs: "x",
    }));
    expect(await sendSpans(server.url, spans, "gzip")).toBe(200);
    const { code, stdout } = await spawnedClientOf(server.url)("trace", traceId);
    expect(code).toBe(0);
    expect(stdout.match(/ step \d+ /g)).toHaveLength(5_001);
  });

  it("reports that there is none", async () => {
    const ended = await agate("trace", "e".repeat(32));
    expect(ended).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^agate: There is no trace e+\.\n$/),
    });
  });
});

/** A trace of one span. */
function post(url: string, digit: string, environment: string): Promise<void> {
  const start = Date.now() - 1000;
  return sendOtlp(url, [
    {
      traceId: digit.repeat(32),
      spanId: digit.repeat(16),
      name: `call ${digit}`,
      start,
      end: start + 5,
      attributes: { "ag.environment": environment },
    },
  ]);
}

describe("agate traces --follow", () => {
  it("goes on with what passes the filters, and ends by Ctrl-C", async () => {
    await using followed = startAgate(server.url, [
      "traces",
      "--follow",
      "--environment",
      "canary",
    ]);
    await followed.prints(/^TIME .*\n/);
    await post(server.url, "2", "elsewhere");
    await post(server.url, "3", "canary");
    await followed.prints(/call 3 .*canary +3{32}\n/);
    expect(followed.output()).not.toContain("call 2");
    followed.signal("SIGINT");
    expect(await followed.ended).toEqual({ code: null, signal: "SIGINT" });
    expect(followed.errors()).toBe("");
  });

  it("is a document a line with --json", async () => {
    await using followed = startAgate(server.url, ["traces", "--follow", "--limit", "1", "--json"]);
    await followed.prints(/\n/);
    await post(server.url, "4", "canary");
    await followed.prints(/"trace_id":"4{32}"/);
    await followed.prints(/\n$/);
    const names = followed
      .output()
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { name: string }).name);
    expect(names.at(-1)).toBe("call 4");
  });

  it("ends with 0 when its output is closed", async () => {
    await using followed = startAgate(server.url, ["traces", "--follow"]);
    await followed.prints(/^TIME .*\n/);
    followed.stopReading();
    await post(server.url, "5", "canary");
    expect(await followed.ended).toEqual({ code: 0, signal: null });
  });
});
