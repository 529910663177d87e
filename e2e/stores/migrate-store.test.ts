import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectRefusal, runAgate } from "../run-agate.ts";
import { startServer } from "../running-server.ts";
import type { SentSpan } from "../sent-span.ts";
import { sendSpans } from "../sent-span.ts";

const AGATE = fileURLToPath(new URL("../../packages/cli/dist/agate.js", import.meta.url));
const TRACES = 300;
const SPANS_PER_TRACE = 40;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "agate-migration-"));
  await fill(join(folder, "first"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const traceIdOf = (trace: number) => (trace + 1).toString(16).padStart(32, "0");

function sentSpan(trace: number, n: number): SentSpan {
  const idOf = (span: number) => (trace * 100 + span + 1).toString(16).padStart(16, "0");
  return {
    traceId: traceIdOf(trace),
    spanId: idOf(n),
    parentSpanId: n === 0 ? null : idOf(Math.floor((n - 1) / 3)),
    name: `span ${n} "ünï" 𝒳`,
    start: 1_790_000_000_000_000 + trace * 1_000 + n,
    inputs: `words of ${trace} `.repeat(30),
  };
}

/** Traces that came in two parts each, the second of which repeats a span of the first. */
async function fill(dataDirectory: string): Promise<void> {
  await using server = await startServer({ dataDirectory });
  for (let trace = 0; trace < TRACES; trace += 50) {
    const some = Array.from({ length: 50 }, (_, n) => trace + n);
    for (const [from, end] of [
      [0, SPANS_PER_TRACE / 2],
      [SPANS_PER_TRACE / 2 - 1, SPANS_PER_TRACE],
    ] as const) {
      const spans = some.flatMap((one) =>
        Array.from({ length: end - from }, (_, n) => sentSpan(one, from + n)),
      );
      expect(await sendSpans(server.url, spans)).toBe(200);
    }
  }
  expect(await server.stop()).toBe(0);
}

const ALL = { traces: TRACES, spans: TRACES * SPANS_PER_TRACE };

/** Every trace as a server on this store answers it. */
async function answersOf(flags: readonly string[], dataDirectory: string): Promise<string[]> {
  await using server = await startServer({ dataDirectory, flags });
  const answers: string[] = [];
  for (let trace = 0; trace < TRACES; trace++) {
    const response = await fetch(`${server.url}/observability/traces/${traceIdOf(trace)}/`);
    expect(response.status).toBe(200);
    answers.push(await response.text());
  }
  return answers;
}

/** Runs the command until it ends: longer than others, on a busy machine. */
async function migrate(args: readonly string[], stopWhen?: () => Promise<unknown>) {
  const child = spawn(process.execPath, [AGATE, "migrate-store", ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  const printed = Promise.all([text(child.stdout), text(child.stderr)]);
  await stopWhen?.();
  if (stopWhen) child.kill("SIGINT");
  const [code, signal] = await ended;
  const [stdout, stderr] = await printed;
  return { code, signal, stdout, stderr };
}

describe("agate migrate-store", () => {
  it("is stopped by Ctrl-C in order, goes on, and says that both stores are equal", async () => {
    const state = join(folder, "agate-migration.json");
    const args = ["sqlite:first", "sqlite:second"];
    const stopped = await migrate(args, () =>
      expect.poll(() => existsSync(state), { interval: 5 }).toBe(true),
    );
    expect(stopped).toMatchObject({ code: null, signal: "SIGINT", stdout: "" });
    expect(stopped.stderr).toContain("Stopped. Run the same command again to go on.\n");
    const { spans } = JSON.parse(await readFile(state, "utf8"));
    expect(spans).toBeLessThan(ALL.spans);

    const { code, stdout } = await migrate([...args, "--json"]);
    expect(JSON.parse(stdout)).toEqual({
      copied_spans: ALL.spans - spans,
      projects: [{ project: "default", from: ALL, to: ALL }],
      compared_traces: TRACES,
      differing_traces: [],
    });
    expect(code).toBe(0);
    expect(await answersOf([], join(folder, "second"))).toEqual(
      await answersOf([], join(folder, "first")),
    );
  });

  it("says what differs and ends with 1, until everything is copied again", async () => {
    {
      await using server = await startServer({ dataDirectory: join(folder, "second") });
      expect(await sendSpans(server.url, [{ ...sentSpan(8, 3), name: "changed" }])).toBe(200);
      expect(await server.stop()).toBe(0);
    }
    const args = ["sqlite:first", "sqlite:second"];
    const { code, stdout, stderr } = await migrate(args);
    expect(code).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/^agate: The stores are not equal\. .*--restart\.$/m);
    expect(stderr).toMatch(/^ {2}1 of 300 compared traces differ:$/m);
    expect(stderr).toContain(`    ${traceIdOf(8)} of project default`);

    const mended = await migrate([...args, "--restart"]);
    expect(mended.stdout).toMatch(/^Copied 12,000 spans\. Both stores answer the same for 300 /);
    expect(mended.code).toBe(0);
  });

  it.each([
    [["sqlite:first"], 2, /Missing required argument 'to'/],
    [["first", "sqlite:x"], 2, /The address in <from> cannot be used\. It must be sqlite:FOLDER/],
    [["sqlite:first", "env:NOWHERE"], 2, /\$NOWHERE is not set/],
    [["sqlite:first", "sqlite:x", "--sample", "1000000"], 2, /It can be 100000 at most/],
    [["sqlite:first", "sqlite:./first"], 1, /Both addresses lead to the same store/],
    [["sqlite:missing", "sqlite:x"], 1, /There is no spans\.db in missing\. Name the folder/],
    [["sqlite:first", "sqlite:x"], 1, /agate-migration\.json belongs to a migration from/],
  ])("refuses %j", async (args, code, reason) => {
    expectRefusal(await runAgate(["migrate-store", ...args], { cwd: folder }), code, reason);
    expect(existsSync(join(folder, "x"))).toBe(false);
    expect(existsSync(join(folder, "missing"))).toBe(false);
  });

  it("does not repeat a password", async () => {
    const env = { ...process.env, SECRET: "postgres://u:hunter2@/x" };
    for (const from of ["clickhouse://u:hunter2@h/a?b=c", "env:SECRET"]) {
      const { code, stderr } = await runAgate(["migrate-store", from, "sqlite:x"], {
        cwd: folder,
        env,
      });
      expect(code).toBe(2);
      expect(stderr).not.toContain("hunter2");
    }
  });
});
