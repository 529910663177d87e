import { existsSync } from "node:fs";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectRefusal, runAgate } from "../run-agate.ts";
import { startServer } from "../running-server.ts";
import { sendSpans } from "../sent-span.ts";
import {
  answersOf,
  migrate,
  SPANS_PER_TRACE,
  sendTraces,
  sentSpan,
  traceIdOf,
} from "./migrating.ts";

const TRACES = 300;
const ALL = { traces: TRACES, spans: TRACES * SPANS_PER_TRACE, scores: 0 };
const ARGS = ["sqlite:first", "sqlite:second"];

let folder: string;
let first: string;
let second: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "agate-migration-"));
  first = join(folder, "first");
  second = join(folder, "second");
  await using server = await startServer({ dataDirectory: first });
  await sendTraces(server.url, TRACES);
  expect(await server.stop()).toBe(0);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("agate migrate-store", () => {
  it("is stopped by Ctrl-C in order, goes on, and says that both stores are equal", async () => {
    const state = join(folder, "agate-migration.json");
    const interrupting = new URL("./interrupt-at-state.fixture.ts", import.meta.url).href;
    const stopped = await migrate(ARGS, {
      folder,
      env: { NODE_OPTIONS: `--import=${interrupting}` },
    });
    expect(stopped).toMatchObject({ code: null, signal: "SIGINT", stdout: "" });
    expect(stopped.stderr).toContain("Stopped. Run the same command again to resume.\n");
    const { spans } = JSON.parse(await readFile(state, "utf8"));
    expect(spans).toBeLessThan(ALL.spans);

    const { code, stdout } = await migrate([...ARGS, "--json"], { folder });
    expect(JSON.parse(stdout)).toEqual({
      copied_spans: ALL.spans - spans,
      copied_scores: 0,
      projects: [{ project: "default", from: ALL, to: ALL }],
      missing_traces: [],
      compared_traces: TRACES,
      differing_traces: [],
    });
    expect(code).toBe(0);
    expect(await answersOf(second, TRACES)).toEqual(await answersOf(first, TRACES));
  }, 120_000);

  it("says what differs and ends with 1, until everything is copied again", async () => {
    {
      await using server = await startServer({ dataDirectory: second });
      expect(await sendSpans(server.url, [{ ...sentSpan(8, 3), name: "changed" }])).toBe(200);
      expect(await server.stop()).toBe(0);
    }
    const { code, stdout, stderr } = await migrate(ARGS, { folder });
    expect(code).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/^agate: The stores are not equal\. .*--restart\.$/m);
    expect(stderr).toMatch(/^ {2}1 of 300 compared traces differ:$/m);
    expect(stderr).toContain(`    ${traceIdOf(8)} of project default`);

    const mended = await migrate([...ARGS, "--restart"], { folder });
    expect(mended.stdout).toMatch(/^Copied 12,000 spans\. Both stores answer the same for 300 /);
    expect(mended.code).toBe(0);
  }, 120_000);

  it("names a trace that the second store has lost, though it holds another instead", async () => {
    {
      await using server = await startServer({ dataDirectory: second });
      const lost = `${server.url}/observability/traces/${traceIdOf(9)}/`;
      expect((await fetch(lost, { method: "DELETE" })).ok).toBe(true);
      const other = Array.from({ length: SPANS_PER_TRACE }, (_, n) => sentSpan(TRACES + 1, n));
      expect(await sendSpans(server.url, other)).toBe(200);
      expect(await server.stop()).toBe(0);
    }
    const said = await migrate([...ARGS, "--sample", "1"], { folder });
    expect(said).toMatchObject({ code: 1, stdout: "" });
    expect(said.stderr).toMatch(/^agate: The stores are not equal\. .*--restart\.$/m);
    expect(said.stderr).toMatch(/^ {2}1 trace missing or incomplete in the second:$/m);
    expect(said.stderr).toContain(`    ${traceIdOf(9)} of project default`);
    const { code, stdout } = await migrate([...ARGS, "--json"], { folder });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      copied_spans: 0,
      projects: [{ project: "default", from: ALL, to: ALL }],
      missing_traces: [{ project: "default", trace_id: traceIdOf(9) }],
      differing_traces: [{ project: "default", trace_id: traceIdOf(9) }],
    });
  }, 120_000);

  it("names a damaged trace of the first store, and goes on when that is deleted", async () => {
    const damaged = join(folder, "damaged");
    await cp(first, damaged, { recursive: true });
    {
      using db = new DatabaseSync(join(damaged, "spans.db"));
      db.exec(`UPDATE segments SET body = CAST(replace(CAST(body AS TEXT), 'words', 'wards') AS BLOB)
        WHERE segment = (SELECT trace_no * 1048576 FROM traces WHERE trace_id = '${traceIdOf(200)}')`);
    }
    const args = ["sqlite:damaged", "sqlite:third", "--state", "damaged.json"];
    const sentence = `agate: What is stored of the trace ${traceIdOf(200)} in the first store is damaged. Delete that trace or restore it from a backup, and run the same command again to resume.`;
    const said = await migrate(args, { folder });
    expect(said).toMatchObject({ code: 1, stdout: "" });
    expect(said.stderr.trimEnd().split("\n").at(-1)).toBe(sentence);
    const { code, stdout, stderr } = await migrate([...args, "--json"], { folder });
    expect(code).toBe(1);
    expect(`agate: ${JSON.parse(stderr).error.message}`).toBe(sentence);
    expect(JSON.parse(stdout)).toEqual({ damaged_traces: [{ trace_id: traceIdOf(200) }] });
    {
      await using server = await startServer({ dataDirectory: damaged });
      const trace = `${server.url}/observability/traces/${traceIdOf(200)}/`;
      expect((await fetch(trace)).status).toBe(500);
      expect((await fetch(trace, { method: "DELETE" })).ok).toBe(true);
      expect(await server.stop()).toBe(0);
    }
    const rest = { traces: TRACES - 1, spans: (TRACES - 1) * SPANS_PER_TRACE };
    const finished = await migrate([...args, "--json"], { folder });
    expect(finished).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(finished.stdout)).toMatchObject({
      projects: [{ project: "default", from: rest, to: rest }],
      missing_traces: [],
      differing_traces: [],
    });
  }, 120_000);

  it.each([
    [["sqlite:first"], 2, /Missing required argument 'to'/],
    [["first", "sqlite:x"], 2, /The address in <from> cannot be used\. It must be sqlite:FOLDER/],
    [["sqlite:first", "env:NOWHERE"], 2, /\$NOWHERE is not set/],
    [["sqlite:first", "sqlite:x", "--sample", "1000000"], 2, /Must be 100000 or less/],
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
      const args = ["migrate-store", from, "sqlite:x"];
      const { code, stderr } = await runAgate(args, { cwd: folder, env });
      expect(code).toBe(2);
      expect(stderr).not.toContain("hunter2");
    }
  });
});
