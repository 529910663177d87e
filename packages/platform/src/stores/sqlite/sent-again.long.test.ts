import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { StoredSpan } from "@agate/spans";
import { expect, it } from "vitest";
import { spanIdOf, storedSpan } from "../contract/stored-span.fixture.ts";
import { filesIn } from "./data-directory.ts";
import { openSqliteStore } from "./sqlite-store.ts";

it("stores nothing for a batch of 2 MB that is sent 50 times more, unchanged", async () => {
  const directory = mkdtempSync(join(tmpdir(), "agate-again-"));
  const store = await openSqliteStore({ directory });
  const append = (spans: readonly StoredSpan[]) =>
    store.append({ project: "default", receivedAt: 1, spans });
  const spans = Array.from({ length: 400 }, (_, n) =>
    storedSpan({ id: spanIdOf(n), start: n, inputs: "lorem ipsum ".repeat(400) }),
  );
  await append(spans);
  const before = sizeOf(directory);
  expect(before.bytes).toBeGreaterThan(2_000_000);
  for (let n = 0; n < 50; n++) expect(await append(spans)).toEqual({ kind: "committed" });
  expect(sizeOf(directory)).toEqual(before);
  // One changed span takes the room of one.
  await append([...spans.slice(1), storedSpan({ id: spanIdOf(0), inputs: "changed" })]);
  const after = sizeOf(directory);
  expect(after.segments).toBe(before.segments + 1);
  expect(after.bytes - before.bytes).toBeLessThan(2_000);
  await store.close();
  await rm(directory, { recursive: true });
}, 60_000);

function sizeOf(directory: string) {
  using db = new DatabaseSync(filesIn(directory).spans, { readOnly: true });
  const row = db.prepare(
    `SELECT count(*) AS segments, sum(length(body)) AS bytes,
       (SELECT count(*) FROM spans) AS spans, (SELECT count(*) FROM deleted_spans) AS deleted
     FROM segments`,
  );
  return row.get() as { segments: number; bytes: number; spans: number; deleted: number };
}
