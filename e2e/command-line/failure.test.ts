import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { DataFolder } from "../data-folder.ts";
import { copyDataFolder, filledDataFolder } from "../data-folder.ts";
import { runAgate } from "../run-agate.ts";
import { startServer } from "../running-server.ts";
import { sendSpans } from "../sent-span.ts";

let filled: DataFolder;
beforeAll(async () => {
  filled = await filledDataFolder("stop");
});
afterAll(() => filled[Symbol.asyncDispose]());

function change(folder: DataFolder, sql: string): void {
  const db = new DatabaseSync(folder.spansFile, { timeout: 10_000 });
  db.exec(sql);
  db.close();
}

it("ends with a sentence and code 1 when a thread dies at the start", async () => {
  await using folder = await copyDataFolder(filled);
  // The writer prepares its statements when it starts.
  change(folder, "DROP TABLE deleted_traces");
  const ended = await runAgate(["server", "--port", "0", "--data-dir", folder.path]);
  expect(ended.stderr).toMatch(/^agate: The server cannot go on: .+\. Its log says more\.\n$/);
  expect(ended.code).toBe(1);
  const [fatal] = ended.stdout.split("\n").filter((line) => line.includes('"level":60'));
  expect(JSON.parse(fatal ?? "")).toMatchObject({
    msg: "Agate cannot go on.",
    err: { message: expect.stringContaining("no such table") },
  });
});

it("keeps every request and goes on when the writer's maintenance fails", async () => {
  await using folder = await copyDataFolder(filled);
  await using server = await startServer({ dataDirectory: folder.path });
  // Each commit is followed by maintenance, which frees deleted traces.
  change(
    folder,
    `CREATE TRIGGER broken BEFORE DELETE ON segments BEGIN SELECT raise(ABORT, 'broken'); END;
     INSERT INTO deleted_traces SELECT trace_no FROM traces ORDER BY trace_no LIMIT 1`,
  );
  const outcomes = await Promise.all(
    Array.from({ length: 50 }, async (_, n) => {
      const spanId = String(n).padStart(16, "c");
      const span = { traceId: spanId.repeat(2), spanId, parentSpanId: null, name: "late" };
      return sendSpans(server.url, [{ ...span, start: 1_700_000_000_000_000, inputs: "" }]);
    }),
  );
  expect(new Set(outcomes)).toEqual(new Set([200]));
  await expect
    .poll(() => server.log())
    .toContain("Deleted traces are not freed until the server is restarted.");
  expect(await server.stop()).toBe(0);
});
