import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { storedScore } from "../contract/stored-score.fixture.ts";
import type { SpanSketch } from "../contract/stored-span.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf, usageOf } from "../contract/stored-span.fixture.ts";
import { checkFolder } from "./check-folder.ts";
import { filesIn } from "./data-directory.ts";
import { SCHEMA_VERSION } from "./span-schema.ts";
import { openSqliteStore } from "./sqlite-store.ts";

let directory: string;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "agate-check-"));
  const store = await openSqliteStore({ directory });
  for (const batch of [0, 1]) {
    const spans = Array.from({ length: 1_200 }, (_, n) =>
      storedSpan({ traceId: traceIdOf(n >> 1), id: spanIdOf(n + batch * 5_000 + 1) }),
    );
    await store.append({ project: "default", receivedAt: 1, spans });
  }
  const scores = [3, 9_999].map((n) => storedScore({ traceId: traceIdOf(n) }));
  await store.putScores({ project: "default", scores });
  await store.searchCaughtUp();
  await store.close();
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function check(repairIndex = false) {
  return checkFolder(directory, { repairIndex, signal: new AbortController().signal });
}

function damage(file: "spans" | "index", sql: string): void {
  using db = new DatabaseSync(filesIn(directory)[file]);
  db.exec(sql);
}

const segmentsOf = (n: number) =>
  `segment / 1048576 = (SELECT trace_no FROM traces WHERE trace_id = '${traceIdOf(n)}')`;

describe("checkFolder", () => {
  it("finds nothing where nothing is damaged", () => {
    expect(check()).toEqual({
      traces: 600,
      segments: 1_200,
      withoutChecksum: 0,
      damaged: [],
      listedWrongly: [],
      problems: [],
      indexProblems: [],
      repaired: false,
      compactable: [],
    });
  });

  it("names each trace whose content or segment was changed or lost", () => {
    damage(
      "spans",
      `UPDATE segments SET body = CAST(body || x'20' AS BLOB) WHERE ${segmentsOf(3)}`,
    );
    damage(
      "spans",
      `UPDATE segments SET header = replace(header, '"', '''') WHERE ${segmentsOf(4)}`,
    );
    damage("spans", `DELETE FROM segments WHERE ${segmentsOf(5)} AND segment % 1048576 = 1`);
    damage(
      "spans",
      `UPDATE traces SET trace_id = '${traceIdOf(9_999)}' WHERE trace_id = '${traceIdOf(7)}'`,
    );
    const { damaged } = check();
    expect(damaged.map(({ traceId }) => traceId).sort()).toEqual([3, 4, 5, 9_999].map(traceIdOf));
    expect(check().damaged).toEqual(damaged);
  });

  it("names each trace that lists show with other values, and makes these anew", () => {
    const values = {
      start: 1,
      start_nanos: 7,
      latency: 2.5,
      name: "'other'",
      spankind: "'LLM'",
      status: "'ERROR'",
      application: "'other'",
      route: "'other'",
      variant: "'other'",
      revision: 3,
      environment: "'other'",
      user_id: "'other'",
      session_id: "'other'",
      cost: 1,
    };
    const figures = {
      ...{ input_tokens: 1, output_tokens: 1, total_tokens: 1, total: "'{}'" },
      ...{ spans: 3, summarised: 1, top_segment: 1, top_offset: 1, top_length: 1 },
    };
    const ofSpans = /^1 of its 4 spans are missing in lists, or listed with other values$/;
    const span = (n: number) => `span_id = '${spanIdOf(2 * n + 1)}'`;
    const trace = (n: number) => `trace_id = '${traceIdOf(n)}'`;
    const faults: [reason: string | RegExp, damage: (n: number) => string][] = [
      [ofSpans, (n) => `DELETE FROM spans WHERE ${span(n)}`],
      [
        "lists have spans that it does not have",
        (
          n,
        ) => `INSERT INTO spans (trace_no, segment, span_id, project, start, name, spankind, status)
          SELECT trace_no, segment, 'feedfeedfeedfeed', project, start, name, spankind, status
          FROM spans WHERE ${span(n)}`,
      ],
      // More than a number of JavaScript holds.
      [
        "its summary has another start",
        (n) => `UPDATE traces SET start = ${2n ** 62n} WHERE ${trace(n)}`,
      ],
      ...Object.entries(values).map(([column, value]): [RegExp, (n: number) => string] => [
        ofSpans,
        (n) => `UPDATE spans SET ${column} = ${value} WHERE ${span(n)}`,
      ]),
      ...Object.entries({ ...values, ...figures }).map(
        ([column, value]): [string, (n: number) => string] => [
          `its summary has another ${column}`,
          (n) => `UPDATE traces SET ${column} = ${value} WHERE ${trace(n)}`,
        ],
      ),
    ];
    for (const [n, [, sql]] of faults.entries()) damage("spans", sql(n));
    expect(check()).toMatchObject({
      damaged: [],
      listedWrongly: faults.map(([reason], n) => ({
        traceId: traceIdOf(n),
        reason: typeof reason === "string" ? reason : expect.stringMatching(reason),
      })),
    });
    expect(check(true).repaired).toBe(true);
    expect(check()).toMatchObject({ listedWrongly: [], damaged: [], problems: [] });
  });

  it("finds what counts as deleted although it is there", () => {
    damage("spans", "INSERT INTO deleted_traces SELECT trace_no FROM traces LIMIT 2");
    damage(
      "spans",
      "INSERT INTO deleted_spans (span_no, span_id) SELECT span_no, span_id FROM spans LIMIT 3",
    );
    expect(check().problems).toEqual([
      "2 traces are to be deleted although they are listed",
      "3 spans count as deleted although they are listed",
    ]);
  });

  it("refuses a folder of another version", () => {
    damage("spans", `PRAGMA user_version = ${SCHEMA_VERSION - 1}`);
    expect(check).toThrow(/written by an older version. Start a server/);
    damage("spans", `PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
    expect(check).toThrow(/written by a newer version/);
  });

  it("finds spans without a trace", () => {
    damage("spans", `DELETE FROM traces WHERE trace_id = '${traceIdOf(3)}'`);
    expect(check().problems).toEqual(["4 spans belong to no trace"]);
  });

  it("finds what the index lacks, and repairs it when it is told to", async () => {
    damage("index", "DELETE FROM id_hashes WHERE span_no % 100 = 0");
    damage("index", "INSERT INTO id_hashes VALUES (7, 999998)");
    damage("index", "INSERT INTO span_ids VALUES ('feedfeedfeedfeed', 999999)");
    expect(check().indexProblems).toEqual([
      expect.stringMatching(/24 spans are not in the index/),
      expect.stringMatching(/2 entries are of spans that are gone/),
    ]);
    expect(check(true).repaired).toBe(true);
    const store = await openSqliteStore({ directory });
    await store.searchCaughtUp();
    await store.close();
    expect(check().indexProblems).toEqual([]);
  });

  it("refuses a folder that a server uses, or that holds nothing", async () => {
    const store = await openSqliteStore({ directory });
    expect(check).toThrow(/A server is using/);
    await store.close();
    const signal = new AbortController().signal;
    expect(() => checkFolder(join(directory, "no"), { repairIndex: false, signal })).toThrow(
      /neither spans\.db nor registry\.db/,
    );
  });
});

/** Anything that a span may be listed by, in the shapes that are hard to store. */
const hardText = fc.constantFrom(
  null,
  "plain",
  "\u{1F600} \u0000 \u200e",
  "\ud800 half",
  '"\\',
  "é".repeat(90),
);
const hardSpan = fc.record({
  trace: fc.nat(15),
  span: fc.nat(12),
  parent: fc.option(fc.nat(12)),
  start: fc.nat(3),
  startNanos: fc.nat(999),
  latency: fc.option(fc.double({ min: 0, max: 1e9, noNaN: true })),
  name: hardText.map((text) => text ?? ""),
  status: fc.constantFrom("OK", "ERROR", "UNSET"),
  ...{ application: hardText, route: fc.constantFrom(null, "/run"), variant: hardText },
  revision: fc.option(fc.nat(5)),
  ...{ environment: hardText, userId: hardText, sessionId: hardText },
  cost: fc.option(fc.double({ min: 0, max: 10, noNaN: true })),
  tokens: fc.option(fc.nat(1_000)),
  role: fc.constantFrom("own", "restated"),
});

describe("a folder that is sound", () => {
  it("is found sound, with any spans in any batches", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(hardSpan, { minLength: 1, maxLength: 200 }), {
          minLength: 2,
          maxLength: 5,
        }),
        async (batches) => {
          const own = mkdtempSync(join(tmpdir(), "agate-check-"));
          try {
            const store = await openSqliteStore({ directory: own });
            for (const batch of batches) {
              const spans = batch.map(({ trace, span, parent, cost, tokens, role, ...given }) =>
                storedSpan({
                  ...(given as Partial<SpanSketch>),
                  traceId: traceIdOf(trace),
                  id: spanIdOf(span + 1),
                  parentId: parent === null ? null : spanIdOf(parent + 1),
                  figures: {
                    role: role as "own" | "restated",
                    cost,
                    usage: tokens === null ? null : usageOf(tokens, 1),
                  },
                }),
              );
              await store.append({ project: "default", receivedAt: 1, spans });
            }
            await store.close();
            const signal = new AbortController().signal;
            const report = checkFolder(own, { repairIndex: false, signal });
            expect(report).toMatchObject({ damaged: [], listedWrongly: [], problems: [] });
          } finally {
            rmSync(own, { recursive: true });
          }
        },
      ),
      { numRuns: 5, seed: 12 },
    );
  });

  it.each([2_000, 2_001])(
    "is found so while the summary of a trace of %i spans waits",
    async (count) => {
      const store = await openSqliteStore({ directory });
      const spansFrom = (first: number, length: number) =>
        Array.from({ length }, (_, n) =>
          storedSpan({ traceId: traceIdOf(7_777), id: spanIdOf(100_000 + first + n), start: n }),
        );
      await store.append({ project: "default", receivedAt: 1, spans: spansFrom(0, count - 100) });
      const last = store.append({
        project: "default",
        receivedAt: 2,
        spans: spansFrom(count - 100, 100),
      });
      await Promise.all([last, store.close()]);
      expect(check()).toMatchObject({ damaged: [], listedWrongly: [] });
      damage("spans", `UPDATE traces SET spans = spans + 1 WHERE trace_id = '${traceIdOf(7_777)}'`);
      expect(check().listedWrongly).toHaveLength(1);
    },
  );
});
