import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { outline, readTrace, spansOf } from "../clients/read-back.ts";
import type { RunningServer } from "../running-server.ts";
import { startServer } from "../running-server.ts";
import { post } from "./post.ts";
import { statisticsPrinted } from "./printed.ts";
import type { SentByClient } from "./programs/print-envelope.ts";
import type { EndedProgram, ProgramOptions } from "./running-program.ts";
import { startProgram } from "./running-program.ts";

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const BEFORE = { nodeFlags: ["--import", "./sentry-setup.ts"] };

/** Calls the app's two routes some times, and ends it. */
async function run(options: ProgramOptions, times = 1) {
  const env = { AGATE_BASE_URL: server.url, OPTIONS: `{"limits":{"intervalMs":1}}` };
  await using program = await startProgram("sentry.ts", { ...options, env });
  const traceIds: string[] = [];
  for (let n = 0; n < times; n++) {
    for (const route of ["look-up", "fail"]) {
      const { body } = await post(`${program.url}/playground/run/${route}`, {});
      traceIds.push(body.trace_id);
    }
  }
  const ended = await program.end();
  return { traceIds, ended, sent: sentBy(ended) };
}

function sentBy({ printed }: EndedProgram): SentByClient[] {
  return (printed as { readonly sent?: SentByClient }[]).flatMap(({ sent }) => sent ?? []);
}

/** Each span and error with the names of the spans above it. */
function structure(
  sent: readonly SentByClient[],
  isLeftOut = (_: SentByClient) => false,
): string[] {
  const spans = new Map(sent.filter(({ kind }) => kind === "span").map((span) => [span.id, span]));
  const above = (id: string | null): string[] => {
    const span = id === null ? undefined : spans.get(id);
    if (span === undefined) return [];
    return [...above(span.parentId), ...(isLeftOut(span) ? [] : [span.name])];
  };
  return sent
    .filter((item) => item.kind === "error" || !isLeftOut(item))
    .map((item) => {
      const path = item.kind === "error" ? above(item.id) : above(item.parentId);
      return `${item.kind}: ${[...path, item.name].join(" > ")}`;
    })
    .sort();
}

const isAgates = ({ attributes }: SentByClient) => "ag.span.kind" in attributes;

async function expectAllOnPlatform(traceIds: readonly string[], ended: EndedProgram) {
  let spans = 0;
  for (const [index, traceId] of traceIds.entries()) {
    const trace = await readTrace(server.url, traceId);
    const [lookUp, fail] = [
      "WORKFLOW invoke_workflow look-up\n  TASK describe\n    TASK measure",
      "WORKFLOW invoke_workflow fail",
    ];
    expect(outline(trace)).toBe(index % 2 === 0 ? lookUp : fail);
    spans += spansOf(trace).length;
  }
  expect(statisticsPrinted(ended)).toMatchObject({ exported: spans, dropped: 0, faults: 0 });
}

describe("Sentry as OpenTelemetry's global provider", () => {
  it.each([
    ["set up before the SDK is imported", BEFORE, ["--rate", "1"]],
    ["set up after", {}, ["--rate", "1"]],
    ["sending transactions", BEFORE, ["--rate", "1", "--static"]],
    ["sampling nothing", BEFORE, ["--rate", "0"]],
    ["without tracing", BEFORE, []],
  ])("gets what it got without Agate, and Agate's spans in it: %s", async (_, flags, args) => {
    const [plain, { sent, traceIds, ended }] = await Promise.all([
      run({ ...flags, args: [...args, "--otel", "--plain"] }),
      run({ ...flags, args: [...args, "--otel"] }),
    ]);
    expect(structure(sent, isAgates)).toEqual(structure(plain.sent));
    // The error is known by the call that it happened in.
    const error = sent.find(({ kind }) => kind === "error");
    expect(error).toMatchObject({ name: "No such stone.", traceId: traceIds[1] });
    if (args[1] === "1") {
      const paths = structure(sent);
      expect(
        paths.filter((path) =>
          path.endsWith(
            " > invoke_workflow look-up > look up > describe > find the scales > measure",
          ),
        ),
      ).toHaveLength(1);
      expect(sent.filter(isAgates)).toHaveLength(4);
    } else {
      expect(sent.filter(({ kind }) => kind === "span")).toEqual([]);
    }
    await expectAllOnPlatform(traceIds, ended);
  });

  it("decides what it samples, trace by trace, and Agate has every one", async () => {
    const times = 15;
    const { sent, traceIds, ended } = await run(
      { ...BEFORE, args: ["--rate", "0.5", "--otel"] },
      times,
    );
    const byTrace = Map.groupBy(
      sent.filter(({ kind }) => kind === "span"),
      ({ traceId }) => traceId,
    );
    // Thirty coins: all alike once in five hundred million runs.
    expect(byTrace.size).toBeGreaterThan(0);
    expect(byTrace.size).toBeLessThan(2 * times);
    for (const [traceId, spans] of byTrace) {
      const names = spans.map(({ name }) => name).sort();
      const isLookUp = traceIds.indexOf(traceId) % 2 === 0;
      expect(names).toEqual(
        isLookUp
          ? ["POST", "describe", "find the scales", "invoke_workflow look-up", "look up", "measure"]
          : ["POST", "invoke_workflow fail"],
      );
    }
    await expectAllOnPlatform(traceIds, ended);
  });
});

describe("Sentry as it is by default", () => {
  it("and Agate leave each other alone", async () => {
    const args = ["--rate", "1"];
    const [plain, { sent, traceIds, ended }] = await Promise.all([
      run({ ...BEFORE, args: [...args, "--plain"] }),
      run({ ...BEFORE, args }),
    ]);
    expect(structure(sent)).toEqual(structure(plain.sent));
    expect(ended.stderr).not.toContain("OpenTelemetry");
    await expectAllOnPlatform(traceIds, ended);
  });
});

it.each([[["--otel"]], [[]]])("sends spans outside of what Sentry traces: %j", async (args) => {
  const env = { AGATE_BASE_URL: server.url, OPTIONS: '{"limits":{"intervalMs":1}}' };
  const options = { ...BEFORE, args: ["--rate", "1", "--unaware", ...args], env };
  await using program = await startProgram("sentry.ts", options);
  const { body } = await post(`${program.url}/playground/run/look-up`, {});
  // Sent by the timer that the call has set.
  await vi.waitFor(() => readTrace(server.url, body.trace_id), { timeout: 60_000, interval: 10 });
  const sent = sentBy(await program.end());
  const lookUp = sent.find(({ name }) => name === "look up");
  const inTrace = sent.filter(({ traceId }) => traceId === lookUp?.traceId);
  // Sentry may have seen the request to Agate, but not as a part of the call.
  expect(inTrace.length).toBeGreaterThan(0);
  expect(inTrace.map(({ name }) => name)).not.toContain("POST 127.0.0.1");
});
