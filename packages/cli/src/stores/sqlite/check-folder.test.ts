import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import { checkFolder } from "./check-folder.ts";
import { filesIn } from "./data-directory.ts";
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
      problems: [],
      indexProblems: [],
      repaired: false,
    });
  });

  it("names each trace whose content, segment or span was changed or lost", () => {
    damage(
      "spans",
      `UPDATE segments SET body = CAST(body || x'20' AS BLOB) WHERE ${segmentsOf(3)}`,
    );
    damage(
      "spans",
      `UPDATE segments SET header = replace(header, '"', '''') WHERE ${segmentsOf(4)}`,
    );
    damage("spans", `DELETE FROM segments WHERE ${segmentsOf(5)} AND segment % 1048576 = 1`);
    damage("spans", `DELETE FROM spans WHERE span_id = '${spanIdOf(13)}'`);
    damage(
      "spans",
      `UPDATE traces SET trace_id = '${traceIdOf(9_999)}' WHERE trace_id = '${traceIdOf(7)}'`,
    );
    const { damaged } = check();
    expect(damaged.map(({ traceId }) => traceId).sort()).toEqual(
      [3, 4, 5, 6, 9_999].map(traceIdOf),
    );
    expect(check().damaged).toEqual(damaged);
  });

  it("finds spans without a trace", () => {
    damage("spans", `DELETE FROM traces WHERE trace_id = '${traceIdOf(3)}'`);
    expect(check().problems).toEqual(["4 spans belong to no trace"]);
  });

  it("finds what the index lacks, and repairs it when it is told to", async () => {
    damage("index", "DELETE FROM span_ids WHERE span_no % 100 = 0");
    damage("index", "INSERT INTO span_ids VALUES ('feedfeedfeedfeed', 999999)");
    expect(check().indexProblems).toEqual([
      expect.stringMatching(/24 spans are not in the index/),
      expect.stringMatching(/1 entries are of spans that are gone/),
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
