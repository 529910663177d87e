import { statSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectRefusal, runAgate } from "../run-agate.ts";
import { runInProcess } from "../run-in-process.ts";
import { startServer } from "../running-server.ts";
import { sendSpans } from "../sent-span.ts";

const TRACES = 6;
let folder: string;
let healthy: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "agate-check-"));
  healthy = join(folder, "healthy");
  await using server = await startServer({ dataDirectory: healthy });
  for (let n = 1; n <= TRACES; n++) {
    await sendSpans(server.url, [
      {
        traceId: traceIdOf(n),
        spanId: n.toString(16).padStart(16, "0"),
        parentSpanId: null,
        name: `work ${n}`,
        start: 1_790_000_000_000_000 + n,
        inputs: "some content",
      },
    ]);
  }
  await server.stop();
});
afterAll(() => rm(folder, { recursive: true }));

const traceIdOf = (n: number) => n.toString(16).padStart(32, "0");

const check = (directory: string, ...flags: string[]) =>
  runInProcess(["check", "--data-dir", directory, ...flags]);

/** A copy of the folder in which something was changed. */
async function damaged(name: string, sql: string): Promise<string> {
  const copy = join(folder, name);
  await cp(healthy, copy, { recursive: true });
  using db = new DatabaseSync(join(copy, "spans.db"));
  db.exec(sql);
  return copy;
}

const CHANGED_NAME = `UPDATE traces SET name = 'another' WHERE trace_id = '${traceIdOf(2)}'`;
const CHANGED_CONTENT = `UPDATE segments
  SET body = CAST(replace(CAST(body AS TEXT), 'some content', 'sole content') AS BLOB)
  WHERE segment = (SELECT trace_no * 1048576 FROM traces WHERE trace_id = '${traceIdOf(4)}')`;

describe("agate check", () => {
  it("ends with 0 where nothing is damaged, in text and as JSON", async () => {
    expect(await runAgate(["check", "--data-dir", healthy])).toEqual({
      code: 0,
      stdout: `No damage found: ${TRACES} traces in ${TRACES} segments.\n`,
      stderr: "",
    });
    const { code, stdout, stderr } = await check(healthy, "--json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({
      traces: TRACES,
      segments: TRACES,
      segments_without_checksum: 0,
      damaged_traces: [],
      wrongly_listed_traces: [],
      problems: [],
      index_problems: [],
      repaired_index: false,
      compacted_files: [],
      compactable_files: [],
    });
  });

  it("says how much space --compact gives back, until it has", async () => {
    const copy = join(folder, "free-space");
    await cp(healthy, copy, { recursive: true });
    const file = join(copy, "spans.db");
    {
      using db = new DatabaseSync(file);
      // As earlier versions made it.
      db.exec(`PRAGMA auto_vacuum = NONE; VACUUM;
        CREATE TABLE deleted AS SELECT zeroblob(10 * 1024 * 1024); DROP TABLE deleted`);
    }
    const { stdout } = await check(copy, "--json");
    const [found] = JSON.parse(stdout).compactable_files;
    expect(found).toEqual({ file, free_bytes: expect.any(Number) });
    expect(await check(copy)).toMatchObject({
      code: 0,
      stderr:
        "spans.db has 10 MB of free space. Run the command with --compact to give it back to the disk.\n",
    });
    const compacted = JSON.parse((await check(copy, "--compact", "--json")).stdout);
    expect(compacted.compactable_files).toEqual([]);
    const { bytes_before, bytes_after } = compacted.compacted_files[0];
    expect(bytes_before - bytes_after).toBeGreaterThan(10 * 1024 * 1024);
    expect(await check(copy)).toMatchObject({ code: 0, stderr: "" });
  });

  it("writes the databases anew with --compact, unless something is damaged", async () => {
    const copy = join(folder, "compact");
    await cp(healthy, copy, { recursive: true });
    const { code, stdout, stderr } = await check(copy, "--compact");
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `No damage found: ${TRACES} traces in ${TRACES} segments.\n`,
    });
    expect(stderr).toMatch(/^spans\.db: .+ before, .+ now\.\nindex\.db: .+ before, .+ now\.\n$/);
    const again = await check(copy, "--compact", "--json");
    const files = ["spans.db", "index.db"].map((name) => ({
      file: join(copy, name),
      bytes_before: statSync(join(copy, name)).size,
      bytes_after: statSync(join(copy, name)).size,
    }));
    expect(JSON.parse(again.stdout)).toMatchObject({ traces: TRACES, compacted_files: files });
    const bad = await damaged("compact-damaged", CHANGED_CONTENT);
    const refused = await check(bad, "--compact", "--json");
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject({ compacted_files: [] });
  });

  it("ends with 1 and names the damaged trace, which a repair does not hide", async () => {
    const copy = await damaged("content", CHANGED_CONTENT);
    const found = await check(copy);
    expect(found).toMatchObject({ code: 1, stdout: "" });
    expect(found.stderr).toMatch(/^agate: The data is damaged. Restore a backup/);
    expect(found.stderr).toContain(
      `Trace ${traceIdOf(4)} of the project default: its content differs from its checksum.`,
    );
    for (const flags of [["--json"], ["--json", "--repair-index"], ["--json"]]) {
      const { code, stdout } = await check(copy, ...flags);
      expect(code).toBe(1);
      expect(JSON.parse(stdout).damaged_traces).toEqual([
        {
          project: "default",
          trace_id: traceIdOf(4),
          reason: "its content differs from its checksum",
        },
      ]);
    }
  });

  it("ends with 1 where lists show something else, and --repair-index mends that", async () => {
    const copy = await damaged("listed", CHANGED_NAME);
    const found = await check(copy);
    expect(found).toMatchObject({ code: 1, stdout: "" });
    expect(found.stderr).toMatch(/^agate: Lists or indexes do not fit.*--repair-index/);
    expect(found.stderr).toContain(
      `Trace ${traceIdOf(2)} of the project default: its summary has another name.`,
    );
    const repaired = await check(copy, "--repair-index", "--json");
    expect(repaired.code).toBe(1);
    expect(JSON.parse(repaired.stdout)).toMatchObject({
      damaged_traces: [],
      wrongly_listed_traces: [{ trace_id: traceIdOf(2), reason: "its summary has another name" }],
      repaired_index: true,
    });
    expect(await check(copy)).toMatchObject({ code: 0, stderr: "" });
    await using server = await startServer({ dataDirectory: copy });
    for (const question of ["name=work 2", 'q="work 2"']) {
      const list = `${server.url}/observability/traces/?${encodeURI(question)}`;
      await expect
        .poll(async () => ((await (await fetch(list)).json()) as { items: [] }).items)
        .toEqual([expect.objectContaining({ trace_id: traceIdOf(2), name: "work 2" })]);
    }
  });

  it("refuses a folder in use, one that is none, and a command without a folder", async () => {
    const used = join(folder, "used");
    await cp(healthy, used, { recursive: true });
    {
      await using _ = await startServer({ dataDirectory: used });
      expectRefusal(await check(used), 1, /A server is using the data directory .*Stop it first/);
      expectRefusal(await check(used, "--repair-index"), 1, /A server is using/);
    }
    expectRefusal(await check(join(folder, "nowhere")), 1, /neither spans\.db nor registry\.db/);
    expectRefusal(await runAgate(["check"]), 2, /--data-dir/);
  });
});
