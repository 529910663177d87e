import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { assemble } from "../contract/expected-tree.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import { createBatchEncoder } from "../segments/segment-encoder.ts";
import { isFrame } from "../segments/segment-frame.ts";
import type { DataDirectory } from "./data-directory.ts";
import { filesIn, openDataDirectory, openForReading } from "./data-directory.ts";
import { prepareIndex } from "./span-index-file.ts";
import { SpanWriter } from "./span-writer.ts";
import { TraceReader } from "./trace-reader.ts";

const PROJECT = "default";
const PAGE_BYTES = 4096;
const TRACES = 60;
const DAMAGED = 30;
const QUIET = { timeout: 20_000, interval: 5 };
const NEVER_MS = 3_600_000;

const encode = createBatchEncoder();
let directory: string;
let held: DataDirectory;
let writer: SpanWriter | undefined;
let troubles: string[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "agate-damaged-pages-"));
  held = openDataDirectory(directory);
  prepareIndex(directory);
  troubles = [];
});
afterEach(async () => {
  await writer?.close();
  held.release();
  rmSync(directory, { recursive: true, force: true });
});

/** As a server opens the file when it is too large to be checked whole. */
function startWriter(quietMs: number): SpanWriter {
  writer = new SpanWriter(directory, {
    maxSpansPerTrace: 1_000,
    announce: () => {},
    onTrouble: ({ what }) => troubles.push(what),
    compactFromBytes: 1,
    quietMs,
  });
  return writer;
}

async function write(to: SpanWriter, n: number, inputs: string): Promise<void> {
  const span = storedSpan({ traceId: traceIdOf(n), id: spanIdOf(n), inputs });
  const batch = encode({ project: PROJECT, receivedAt: n, spans: [span] });
  expect(await to.append(batch)).toMatchObject({ kind: "committed" });
}

/** Each trace takes a page of `segments`. */
async function fill(traces = TRACES): Promise<void> {
  const first = startWriter(NEVER_MS);
  await Promise.all(numbers(traces).map((n) => write(first, n, wordsOf(n))));
  await first.close();
}

const wordsOf = (n: number) => `word${n} `.repeat(350);

/** Writes garbage over the page of a table that has this text. */
function damage(table: string, text: string): void {
  const file = filesIn(directory).spans;
  const bytes = readFileSync(file);
  using db = new DatabaseSync(file, { readOnly: true });
  const pages = db
    .prepare("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'")
    .all(table) as { pageno: number }[];
  const start = pages
    .map(({ pageno }) => (pageno - 1) * PAGE_BYTES)
    .find((first) => bytes.subarray(first, first + PAGE_BYTES).includes(text));
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, Buffer.alloc(PAGE_BYTES, 0xa5), 0, PAGE_BYTES, start as number);
  closeSync(descriptor);
}

/** The numbers of the traces whose segments can be read, and are frames. */
function packed(traces = TRACES + 1): number[] {
  using db = new DatabaseSync(filesIn(directory).spans, { readOnly: true });
  const body = db.prepare("SELECT body FROM segments WHERE segment = ?");
  return numbers(traces).filter((n) => {
    try {
      const row = body.get(n * 2 ** 20) as { body: Uint8Array } | undefined;
      return row !== undefined && isFrame(row.body);
    } catch {
      return false;
    }
  });
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

async function inputsOf(n: number): Promise<unknown> {
  using db = openForReading(directory);
  const read = new TraceReader(db).readTree(PROJECT, { kind: "trace", traceId: traceIdOf(n) });
  return (await assemble(await read))?.content.inputs;
}

/** Traces whose rows are not shifted between pages beside the damaged one. */
const APART = (traces: number) => numbers(traces).filter((n) => Math.abs(n - DAMAGED) > 3);

it("packs the traces that are not beside a damaged page, and new ones", async () => {
  await fill();
  damage("segments", `word${DAMAGED} `);
  const second = startWriter(0);
  await expect.poll(() => packed(), QUIET).toEqual(expect.arrayContaining(APART(TRACES)));
  await write(second, TRACES + 1, wordsOf(TRACES + 1));
  await expect.poll(() => packed(), QUIET).toEqual(expect.arrayContaining(APART(TRACES + 1)));
  for (const n of APART(TRACES)) expect(await inputsOf(n)).toBe(wordsOf(n));
  await expect(inputsOf(DAMAGED)).rejects.toThrow("is damaged");
  expect(troubles).toEqual([expect.stringMatching(/^Quiet traces are not packed where/)]);
});

it("packs the other traces when rows of the table of traces are on a damaged page", async () => {
  // Some thirty rows are on a page.
  const traces = 2 * TRACES;
  await fill(traces);
  damage("traces", traceIdOf(TRACES));
  startWriter(0);
  const ends = expect.arrayContaining([1, traces]);
  await expect.poll(() => packed(traces), QUIET).toEqual(ends);
  expect(packed(traces)).not.toContain(TRACES);
  expect(troubles).toEqual([expect.stringMatching(/^Quiet traces are not packed where/)]);
});

it("frees the deleted traces that are not beside a damaged page", async () => {
  await fill();
  damage("segments", `word${DAMAGED} `);
  const second = startWriter(NEVER_MS);
  expect(second.expire(TRACES, TRACES)).toBe(TRACES - 1);
  const left = () => {
    using db = new DatabaseSync(filesIn(directory).spans, { readOnly: true });
    const rows = db.prepare("SELECT trace_no FROM deleted_traces").all();
    return rows.map(({ trace_no }) => trace_no as number);
  };
  const leftApart = () => left().filter((n) => APART(TRACES).includes(n));
  await expect.poll(leftApart, QUIET).toEqual([]);
  expect(left()).toContain(DAMAGED);
  expect(await inputsOf(DAMAGED)).toBeUndefined();
  expect(await inputsOf(TRACES)).toBe(wordsOf(TRACES));
  expect(troubles).toEqual([expect.stringMatching(/^Deleted traces are not freed where/)]);
});

it("frees superseded records of all traces but that on a damaged page", async () => {
  await fill();
  damage("segments", `word${DAMAGED} `);
  const second = startWriter(NEVER_MS);
  {
    // As if a later batch had replaced them.
    using db = new DatabaseSync(filesIn(directory).spans);
    db.exec("INSERT INTO superseded_segments SELECT trace_no * 1048576 FROM traces");
  }
  await write(second, TRACES + 1, "");
  const waiting = () => {
    using db = new DatabaseSync(filesIn(directory).spans, { readOnly: true });
    return db.prepare("SELECT count(*) AS n FROM superseded_segments").get();
  };
  await expect.poll(waiting, QUIET).toEqual({ n: 0 });
  expect(troubles).toEqual([expect.stringMatching(/^Superseded records are not freed where/)]);
});
