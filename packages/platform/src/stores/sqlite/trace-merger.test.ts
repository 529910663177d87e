import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { SpanRecord } from "@agate/protocol";
import type { StoredSpan } from "@agate/spans";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { describeCompaction } from "../contract/compaction.contract.ts";
import { assemble, expectedTree } from "../contract/expected-tree.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import { Subject } from "../contract/subject.fixture.ts";
import { createBatchEncoder, SEGMENT_BYTES } from "../segments/segment-encoder.ts";
import { isFrame } from "../segments/segment-frame.ts";
import type { TreeRead } from "../span-store.ts";
import { PART_LIMITS, TraceGoneError } from "../span-store.ts";
import { checkFolder } from "./check-folder.ts";
import { filesIn } from "./data-directory.ts";
import { SegmentCompactor } from "./segment-compactor.ts";
import { SpanExporter } from "./span-exporter.ts";
import { migrate } from "./span-schema.ts";
import { openSqliteStore } from "./sqlite-store.ts";
import { MOST_MERGED_BYTES, MOST_MERGED_SPANS, QUIET_MS, TraceMerger } from "./trace-merger.ts";
import { TraceReader } from "./trace-reader.ts";
import { TraceWriter } from "./trace-writer.ts";

const PROJECT = "default";

/** Rows of spans as earlier versions wrote them, here and there: with the segment, not its number within the trace. */
const EARLIER_ROWS = `
  CREATE TRIGGER earlier_rows AFTER INSERT ON spans WHEN NEW.span_no % 3 > 0 BEGIN
    UPDATE spans SET segment = NEW.trace_no * 1048576 + NEW.segment WHERE span_no = NEW.span_no;
  END`;

describe.each([
  { what: "quiet traces in SQLite", schema: "" },
  { what: "quiet traces beside rows of earlier versions", schema: EARLIER_ROWS },
])("$what", ({ schema }) => {
  const directory = mkdtempSync(join(tmpdir(), "agate-merger-"));
  const subject = new Subject(
    () => openSqliteStore({ directory, compactFromBytes: 100, quietMs: 0 }),
    6,
  );

  beforeAll(async () => {
    using db = new DatabaseSync(filesIn(directory).spans);
    migrate(db);
    db.exec(schema);
    await subject.open();
  });
  afterAll(async () => {
    await subject.store.close();
    const report = checkFolder(directory, {
      repairIndex: false,
      signal: new AbortController().signal,
    });
    expect(report).toMatchObject({ damaged: [], problems: [], indexProblems: [] });
    await rm(directory, { recursive: true });
  });

  describeCompaction(subject, async () => {
    using db = new DatabaseSync(filesIn(directory).spans, { readOnly: true });
    const isWaiting = db.prepare(
      `SELECT EXISTS (SELECT 1 FROM superseded_segments) OR EXISTS (
         SELECT 1 FROM traces t, merge_progress p
         WHERE t.received > p.received OR (t.received = p.received AND t.trace_no >= p.trace_no)
       ) AS is_waiting`,
    );
    await expect
      .poll(() => isWaiting.get(), { interval: 5, timeout: 30_000 })
      .toEqual({ is_waiting: 0 });
  });
});

describe("merging a trace", () => {
  let db: DatabaseSync;
  let writer: TraceWriter;
  let merger: TraceMerger;
  const encode = createBatchEncoder();

  beforeEach(() => {
    db = new DatabaseSync(":memory:");
    migrate(db);
    // Where readers attach the index.
    db.exec(
      "ATTACH ':memory:' AS derived; CREATE TABLE derived.progress (ids); CREATE TABLE derived.span_ids (span_id, span_no); CREATE TABLE derived.id_hashes (hash, span_no)",
    );
    writer = new TraceWriter(db);
    merger = new TraceMerger(db, 0);
  });
  afterEach(() => {
    vi.useRealTimers();
    db.close();
  });

  const write = (spans: readonly StoredSpan[], receivedAt = 1) => {
    merger.noteWrite(receivedAt);
    writer.write(encode({ project: PROJECT, receivedAt, spans }));
  };
  const mergeAll = () => {
    let steps = 0;
    while (merger.mergeSome()) steps++;
    return steps;
  };
  const readTrace = (n = 1) =>
    new TraceReader(db).readTree(PROJECT, { kind: "trace", traceId: traceIdOf(n) });
  const bodies = () =>
    db.prepare("SELECT body FROM segments ORDER BY segment").all() as unknown as {
      body: Uint8Array;
    }[];
  const frames = () => bodies().filter(({ body }) => isFrame(body)).length;

  it("makes one frame of spans that came one after the other, which is the answer", async () => {
    const spans = manySpans(20, 1_000);
    for (const span of spans) write([span]);
    mergeAll();
    const read = await readTrace();
    expect(read.kind).toBe("frame");
    expect(bodies()).toHaveLength(1);
    expect(await assemble(read)).toEqual(expectedTree(spans));
  });

  it("goes on with spans that come later, and drops what they replace", async () => {
    const spans = manySpans(4, 1_000);
    write(spans);
    mergeAll();
    const changed = spans.map((span, n) => (n === 2 ? spanOf(2, 900, "changed") : span));
    write([changed[2] as StoredSpan, spanOf(4, 1_000)], 2);
    expect(bodies()).toHaveLength(2);
    expect(await assemble(await readTrace())).toEqual(expectedTree([...changed, spanOf(4, 1_000)]));
    mergeAll();
    expect(bodies()).toHaveLength(1);
    expect((await readTrace()).kind).toBe("frame");
    expect(await assemble(await readTrace())).toEqual(expectedTree([...changed, spanOf(4, 1_000)]));
  });

  it("stores a span that is sent again unchanged only once", () => {
    write(manySpans(4, 1_000));
    mergeAll();
    write(manySpans(4, 1_000), 2);
    expect(bodies()).toHaveLength(1);
  });

  it.each([
    { over: 0, first: 16 },
    { over: 1, first: 0 },
  ])("merges up to 1 MiB, and packs larger traces in their rows ($over over)", async (given) => {
    // Each is half a segment, and a little more with what is around it.
    const size = MOST_MERGED_BYTES / 16;
    expect(2 * size).toBe(SEGMENT_BYTES);
    const spans = Array.from({ length: 16 }, (_, n) =>
      ofLength(n, n === 0 ? size + given.over : size),
    );
    for (const span of spans) write([span]);
    mergeAll();
    expect(bodies()).toHaveLength(16);
    expect(frames()).toBe(16);
    const { first } = db.prepare("SELECT min(segment) % 1048576 AS first FROM segments").get() as {
      first: number;
    };
    expect(first).toBe(given.first);
    expect(await assemble(await readTrace())).toEqual(expectedTree(spans));
    expect(mergeAll()).toBe(0);
  });

  it.each([
    { count: MOST_MERGED_SPANS, isMerged: true },
    { count: MOST_MERGED_SPANS + 1, isMerged: false },
  ])("merges a trace of $count spans: $isMerged", async ({ count, isMerged }) => {
    // Their records must not be more than is merged, and the segments more than one step looks at.
    const spans = manySpans(count, 0).map((span) => ({ ...span, openRecord: shortRecord(span) }));
    for (let n = 0; n < 100; n++) write([spans[n] as StoredSpan]);
    write(spans.slice(100));
    const before = bodies().length;
    mergeAll();
    expect(bodies().length < before).toBe(isMerged);
    expect(frames()).toBe(bodies().length);
    const tree = (await assemble(await readTrace())) as SpanRecord;
    expect(tree.children).toHaveLength(count - 1);
  });

  it("packs a single segment of many spans in its row", async () => {
    const spans = Array.from({ length: 60 }, (_, n) => spanOf(n, 1_000));
    write(spans);
    mergeAll();
    expect(db.prepare("SELECT segment % 1048576 AS n FROM segments").get()).toEqual({ n: 0 });
    expect((await readTrace()).kind).toBe("frame");
    const focus = { kind: "span", spanId: spanIdOf(7) } as const;
    db.exec("INSERT INTO derived.progress VALUES (0)");
    const read = await new TraceReader(db).readTree(PROJECT, focus);
    expect((await assemble(read))?.id).toBe(spanIdOf(7));
  });

  it("takes many traces in steps, those of one arrival too", async () => {
    for (let n = 1; n <= 150; n++) write([{ ...spanOf(n, 1_000), traceId: traceIdOf(n) }], 5);
    expect(mergeAll()).toBe(3);
    expect(frames()).toBe(150);
    // A batch of the same arrival as the last trace is not left out.
    write([{ ...spanOf(1_000, 1_000), traceId: traceIdOf(3) }], 5);
    expect(mergeAll()).toBeGreaterThan(0);
    expect(bodies()).toHaveLength(150);
    expect(frames()).toBe(150);
  });

  it("waits until a trace is quiet, and after a start or a copied batch", () => {
    vi.useFakeTimers({ now: 1_000_000_000 });
    merger = new TraceMerger(db);
    write(manySpans(3, 1_000), (Date.now() - QUIET_MS) * 1000);
    // The walk went back to it.
    const begun = Date.now();
    vi.setSystemTime(begun + QUIET_MS - 1);
    expect(merger.mergeSome()).toBe(false);
    expect(merger.nextTurn()).toBe(1);
    vi.setSystemTime(begun + QUIET_MS);
    expect(merger.nextTurn()).toBe(0);
    expect(merger.mergeSome()).toBe(true);
    expect(frames()).toBe(1);
    expect(merger.nextTurn()).toBeUndefined();

    write([{ ...spanOf(1, 1_000), traceId: traceIdOf(2) }], Date.now() * 1000);
    expect(merger.nextTurn()).toBe(QUIET_MS);
    vi.setSystemTime(begun + 2 * QUIET_MS - 1);
    expect(merger.mergeSome()).toBe(false);
    vi.setSystemTime(begun + 2 * QUIET_MS);
    expect(merger.mergeSome()).toBe(true);
    expect(frames()).toBe(2);
  });

  it("leaves damaged traces as they are, and goes on", async () => {
    write(manySpans(3, 1_000));
    write([spanOf(9, 1_000)]);
    write([{ ...spanOf(1, 1_000), traceId: traceIdOf(2) }], 2);
    db.exec("UPDATE segments SET body = CAST(body || 'x' AS BLOB) WHERE segment < 2 * 1048576");
    const before = bodies().slice(0, 2);
    mergeAll();
    expect(bodies().slice(0, 2)).toEqual(before);
    expect((await readTrace(2)).kind).toBe("frame");
    await expect(async () => assemble(await readTrace(1))).rejects.toThrow("is damaged");
  });

  it("gives segments without a checksum none", () => {
    write(manySpans(3, 1_000));
    write([{ ...spanOf(1, 1_000), traceId: traceIdOf(2) }]);
    write([{ ...spanOf(2, 1_000), traceId: traceIdOf(2) }]);
    db.exec("UPDATE segments SET header = substr(header, 26)");
    const before = bodies();
    mergeAll();
    expect(bodies()).toEqual(before);
  });

  it("waits for spans of older versions, which are completed by the numbers of their segments", () => {
    write(manySpans(3, 1_000));
    db.exec("INSERT INTO older_segments VALUES (0, 9999999)");
    expect(mergeAll()).toBe(0);
    db.exec("DELETE FROM older_segments");
    expect(mergeAll()).toBe(1);
  });

  it("between two parts of an export repeats no span", () => {
    const before = manySpans(PART_LIMITS.spans - 1, 0);
    write(before);
    const after = [1, 2, 3].map((n) => ({ ...spanOf(n, 1_000), traceId: traceIdOf(2) }));
    // The export has as many spans as it wants after the first of them.
    for (const span of after) write([span], 2);
    write([{ ...spanOf(1, 1_000), traceId: traceIdOf(3) }], 3);
    const exporter = new SpanExporter(db);
    const given: string[] = [];
    let position: string | null = null;
    for (;;) {
      const { parts } = exporter.partsAfter(position);
      if (parts.length === 0) break;
      for (const part of parts) {
        given.push(...part.spans.map(({ traceId, id }) => `${traceId}.${id}`));
        position = part.position;
      }
      mergeAll();
    }
    expect(given).toHaveLength(before.length + after.length + 1);
    expect(new Set(given).size).toBe(given.length);
  });

  it("changes nothing when its transaction fails in the middle", () => {
    for (const span of manySpans(3, 1_000)) write([span]);
    const rows = () => db.prepare("SELECT * FROM segments ORDER BY segment").all();
    const before = rows();
    db.exec(
      "CREATE TRIGGER broken BEFORE UPDATE ON spans BEGIN SELECT RAISE(FAIL, 'broken'); END; BEGIN",
    );
    expect(mergeAll).toThrow("broken");
    db.exec("ROLLBACK; DROP TRIGGER broken");
    expect(rows()).toEqual(before);
    mergeAll();
    expect(frames()).toBe(1);
  });

  it("is never seen by readers, whatever else happens meanwhile", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step(), { minLength: 4, maxLength: 16 }), async (steps) => {
        db.exec("DELETE FROM traces; DELETE FROM segments; DELETE FROM spans");
        const stored = new Map<string, StoredSpan>();
        let writes = 0;
        const open: { read: TreeRead; spans: StoredSpan[]; writes: number }[] = [];
        const finish = async () => {
          const begun = open.shift();
          if (begun === undefined) return;
          const wanted = expectedTree(begun.spans);
          const isUnchanged = writes === begun.writes;
          const got = await assemble(begun.read).catch((error: unknown) => {
            if (isUnchanged || !(error instanceof TraceGoneError)) throw error;
            return wanted;
          });
          expect(got).toEqual(wanted);
        };
        for (const [n, taken] of steps.entries()) {
          if (taken.kind === "write") {
            const spans = taken.spans.map(({ id, bytes }) => spanOf(id, bytes, `step ${n}`));
            write(spans, n + 1);
            for (const span of spans) stored.set(span.id, span);
            writes++;
          } else if (taken.kind === "merge") {
            mergeAll();
          } else if (taken.kind === "compact") {
            const compactor = new SegmentCompactor(db, 1);
            while (compactor.compactSome());
          } else if (taken.kind === "begin" && stored.size > 0) {
            open.push({ read: await readTrace(), spans: [...stored.values()], writes });
          } else if (taken.kind === "finish") {
            await finish();
          }
        }
        while (open.length > 0) await finish();
        if (stored.size === 0) return;
        expect(await assemble(await readTrace())).toEqual(expectedTree([...stored.values()]));
      }),
      { seed: 18, numRuns: 15, endOnFailure: true },
    );
  }, 120_000);
});

type Step =
  | { readonly kind: "merge" | "compact" | "begin" | "finish" }
  | { readonly kind: "write"; readonly spans: readonly { id: number; bytes: number }[] };

/** Mostly small, and large enough that few of them are more than one segment. */
const BYTES = [0, 50, 1_000, 60_000];

function step(): fc.Arbitrary<Step> {
  const span = fc.record({ id: fc.nat(8), bytes: fc.constantFrom(...BYTES) });
  const spans = fc.uniqueArray(span, { minLength: 1, maxLength: 5, selector: ({ id }) => id });
  return fc.oneof(
    fc.record({ kind: fc.constant("write" as const), spans }),
    fc.record({ kind: fc.constantFrom("merge", "compact", "begin", "begin", "finish") }),
  );
}

/** Span 0 is the parent of all others. */
function spanOf(n: number, bytes: number, name = "span"): StoredSpan {
  return storedSpan({
    id: spanIdOf(n),
    parentId: n === 0 ? null : spanIdOf(0),
    start: n,
    name,
    inputs: "é1".repeat(bytes / 3).padEnd(bytes - Math.floor(bytes / 3), "x"),
  });
}

function manySpans(count: number, bytes: number): StoredSpan[] {
  return Array.from({ length: count }, (_, n) => spanOf(n, bytes));
}

/** As little as a record can be. */
function shortRecord({ id }: StoredSpan): string {
  return `{"id":"${id}","metadata":{"total":`;
}

/** A span whose record has this many bytes. */
function ofLength(n: number, bytes: number): StoredSpan {
  const empty = Buffer.byteLength(spanOf(n, 0).openRecord);
  const span = spanOf(n, bytes - empty);
  expect(Buffer.byteLength(span.openRecord)).toBe(bytes);
  return span;
}
