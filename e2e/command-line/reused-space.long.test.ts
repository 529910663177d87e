import { randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import type { DataFolder } from "../data-folder.ts";
import { emptyDataFolder } from "../data-folder.ts";
import { startServer } from "../running-server.ts";
import type { SentSpan } from "../sent-span.ts";
import { sendSpans } from "../sent-span.ts";

function longSpan(): SentSpan {
  return {
    traceId: randomBytes(16).toString("hex"),
    spanId: randomBytes(8).toString("hex"),
    parentSpanId: null,
    name: "old",
    start: Date.now() * 1000,
    inputs: "word ".repeat(400),
  };
}

it("uses the space of what it deleted again", async () => {
  await using folder = await emptyDataFolder();
  const sizes: number[] = [];
  for (let cycle = 0; cycle < 3; cycle++) {
    await using writing = await startServer({ dataDirectory: folder.path });
    for (let n = 0; n < 4; n++) {
      const spans = Array.from({ length: 1000 }, longSpan);
      expect(await sendSpans(writing.url, spans)).toBe(200);
    }
    expect(await writing.stop()).toBe(0);
    // Only now, so that none of a cycle's spans can take the space of others of the same.
    await using deleting = await startServer({
      dataDirectory: folder.path,
      flags: ["--retention", "0.001s"],
    });
    await expect.poll(() => rowsIn(folder), { timeout: 20_000 }).toBe(0);
    expect(await deleting.stop()).toBe(0);
    sizes.push((await stat(folder.spansFile)).size);
  }
  const [first = 0, , last = 0] = sizes;
  expect(last).toBeLessThan(first * 1.5);
});

/** Rows that still take up space. */
function rowsIn(folder: DataFolder): number {
  using db = new DatabaseSync(folder.spansFile, { readOnly: true });
  const counts = db.prepare(
    "SELECT (SELECT count(*) FROM spans) + (SELECT count(*) FROM segments) AS n",
  );
  return (counts.get() as { n: number }).n;
}
