import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { StoredSpan } from "@agate/spans";
import fc from "fast-check";
import { expect, it } from "vitest";
import { expectedTree } from "../contract/expected-tree.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf, usageOf } from "../contract/stored-span.fixture.ts";
import { createBatchEncoder } from "../segments/segment-encoder.ts";
import { filesIn, openDataDirectory } from "./data-directory.ts";
import { SEGMENTS_PER_TRACE } from "./span-schema.ts";
import { TraceRemover } from "./trace-remover.ts";
import { TraceSummaries, type TraceSummary } from "./trace-summaries.ts";
import { TraceWriter } from "./trace-writer.ts";

/** A writer that leaves every summary for later, and another connection on which they are made. */
class Writing implements AsyncDisposable {
  readonly #directory = mkdtempSync(join(tmpdir(), "agate-summaries-"));
  readonly #folder = openDataDirectory(this.#directory);
  readonly #db = new DatabaseSync(filesIn(this.#directory).spans);
  readonly #reading = new DatabaseSync(filesIn(this.#directory).spans, { readOnly: true });
  readonly #writer = new TraceWriter(this.#db, { canDeferSummary: () => true });
  readonly #remover = new TraceRemover(this.#db);
  readonly #summariser = new TraceSummaries(this.#reading);
  readonly #encode = createBatchEncoder();
  readonly #model = new Map<string, Map<string, StoredSpan>>();
  #project = 0;
  /** A summary that was made and not taken over yet. */
  #made: { readonly summary: TraceSummary | undefined } | undefined;

  constructor() {
    this.#db.exec("PRAGMA synchronous = OFF");
  }

  get #projectId(): string {
    return `project ${this.#project}`;
  }

  /** Begins with nothing. Everything before must be settled. */
  fresh(): void {
    this.#project++;
    this.#model.clear();
  }

  append(spans: readonly StoredSpan[]): void {
    const project = this.#projectId;
    this.#inTransaction(() => this.#writer.write(this.#encode({ project, receivedAt: 1, spans })));
    for (const span of spans) {
      const trace = this.#model.get(span.traceId) ?? new Map();
      this.#model.set(span.traceId, trace.set(span.id, span));
    }
  }

  delete(traceId: string): void {
    this.#inTransaction(() => this.#remover.deleteTrace(this.#projectId, traceId));
    this.#model.delete(traceId);
  }

  /** Frees the rows of deleted traces. */
  free(): void {
    this.#inTransaction(() => this.#remover.freeSome());
  }

  /** @returns False when no trace is behind. */
  beginSummary(): boolean {
    const traceNo = this.#writer.summaries.nextBehind(new Set());
    if (traceNo === undefined || this.#made !== undefined) return false;
    this.#writer.summaries.beginSummary(traceNo);
    this.#reading.exec("BEGIN");
    this.#made = { summary: this.#summariser.readSummary(traceNo) };
    this.#reading.exec("ROLLBACK");
    return true;
  }

  endSummary(): void {
    const made = this.#made;
    if (made === undefined) return;
    this.#made = undefined;
    this.#inTransaction(() => this.#writer.summaries.endSummary(made.summary));
  }

  /** @returns How many summaries were to be made until none was behind. */
  settle(): number {
    this.endSummary();
    let rounds = 0;
    for (; this.beginSummary(); rounds++) {
      if (rounds > 10) throw new Error("Summaries are made without end");
      this.endSummary();
    }
    return rounds;
  }

  expectSummaries(): void {
    const rows = this.#db
      .prepare(
        `SELECT trace_id, spans, summarised, name, start, session_id, input_tokens,
           top_segment, top_offset, top_length, trace_no FROM traces WHERE project = ? ORDER BY trace_id`,
      )
      .all(this.#projectId);
    const wanted = [...this.#model].sort().map(([traceId, trace]) => {
      const spans = [...trace.values()];
      const top = expectedTree(spans);
      const others = spans.toSorted((a, b) => a.start - b.start || (a.id < b.id ? -1 : 1));
      const own = trace.get(top.id) as StoredSpan;
      return {
        trace_id: traceId,
        spans: spans.length,
        summarised: spans.length,
        name: own.name,
        start: own.start,
        session_id:
          [own, ...others].map(({ sessionId }) => sessionId).find((id) => id !== null) ?? null,
        input_tokens: top.metadata.total.usage?.input_tokens ?? null,
        record: own.openRecord,
      };
    });
    expect(rows.map((row) => this.#withRecord(row))).toEqual(wanted);
  }

  #withRecord({ trace_no, top_segment, top_offset, top_length, ...row }: Record<string, unknown>) {
    const segment = Number(trace_no) * SEGMENTS_PER_TRACE + Number(top_segment);
    const { body } = this.#db
      .prepare("SELECT body FROM segments WHERE segment = ?")
      .get(segment) as {
      body: Uint8Array;
    };
    const from = Number(top_offset);
    const record = Buffer.from(body).toString("utf8", from, from + Number(top_length));
    return { ...row, record };
  }

  #inTransaction(work: () => unknown): void {
    this.#db.exec("BEGIN IMMEDIATE");
    work();
    this.#db.exec("COMMIT");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#reading.close();
    this.#db.close();
    this.#folder.release();
    await rm(this.#directory, { recursive: true });
  }
}

const anySpan = fc
  .record({
    trace: fc.integer({ min: 1, max: 2 }),
    n: fc.integer({ min: 1, max: 6 }),
    parent: fc.integer({ min: 0, max: 6 }),
    start: fc.nat(5),
    name: fc.constantFrom("a", "b"),
    session: fc.constantFrom(null, "s", "t"),
    tokens: fc.constantFrom(null, 1, 10),
  })
  .map(({ trace, n, parent, start, name, session, tokens }) =>
    storedSpan({
      traceId: traceIdOf(trace),
      id: spanIdOf(10 * trace + n),
      parentId: parent === 0 || parent === n ? null : spanIdOf(10 * trace + parent),
      start,
      name,
      sessionId: session,
      figures: tokens === null ? null : { role: "own", usage: usageOf(tokens, 0), cost: null },
    }),
  );

const step = fc.oneof(
  fc.record({
    do: fc.constant("append" as const),
    spans: fc.array(anySpan, { minLength: 1, maxLength: 4 }),
  }),
  fc.record({ do: fc.constant("delete" as const), trace: fc.integer({ min: 1, max: 2 }) }),
  fc.record({ do: fc.constantFrom("begin" as const, "end" as const, "free" as const) }),
);

it("has the summaries of all spans after any order of writes and summaries", async () => {
  await using writing = new Writing();
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 20 }), (steps) => {
      writing.fresh();
      for (const one of steps) {
        if (one.do === "append") writing.append(one.spans);
        else if (one.do === "delete") writing.delete(traceIdOf(one.trace));
        else if (one.do === "begin") writing.beginSummary();
        else if (one.do === "end") writing.endSummary();
        else writing.free();
      }
      writing.settle();
      writing.expectSummaries();
    }),
    { numRuns: 300 },
  );
}, 60_000);

it("makes a summary once more for a trace that was written to meanwhile, and then none", async () => {
  await using writing = new Writing();
  writing.append([storedSpan(), storedSpan({ id: spanIdOf(2), parentId: spanIdOf(1) })]);
  // A new trace has its summary; the next write leaves it behind.
  expect(writing.settle()).toBe(0);
  writing.append([storedSpan({ name: "changed" })]);
  expect(writing.beginSummary()).toBe(true);
  writing.append([storedSpan({ name: "changed again" })]);
  writing.endSummary();
  expect(writing.settle()).toBe(1);
  expect(writing.settle()).toBe(0);
  writing.expectSummaries();
});

it("leaves a trace alone that was deleted and written anew meanwhile", async () => {
  await using writing = new Writing();
  writing.append([storedSpan({ name: "old" })]);
  writing.append([storedSpan({ name: "older" })]);
  expect(writing.beginSummary()).toBe(true);
  writing.delete(traceIdOf(1));
  writing.append([storedSpan({ name: "new" })]);
  writing.endSummary();
  expect(writing.settle()).toBe(0);
  writing.expectSummaries();
});
