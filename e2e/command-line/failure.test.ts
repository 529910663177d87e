import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import type { DataFolder } from "../data-folder.ts";
import { filledDataFolder } from "../data-folder.ts";
import { runAgate } from "../run-agate.ts";
import { startServer } from "../running-server.ts";
import { sendSpans } from "../sent-span.ts";

/** A row that no version of Agate writes: freeing it, a chore of the writer's, fails. */
function poison(folder: DataFolder): void {
  const db = new DatabaseSync(folder.spansFile);
  db.exec(`UPDATE segments SET header = 'no header' WHERE segment = (SELECT min(segment) FROM segments);
    INSERT INTO deleted_traces SELECT trace_no FROM traces ORDER BY trace_no LIMIT 1`);
  db.close();
}

it("ends with a sentence and code 1 when a thread dies at the start", async () => {
  await using folder = await filledDataFolder("stop");
  poison(folder);
  const ended = await runAgate(["server", "--port", "0", "--data-dir", folder.path]);
  expect(ended.stderr).toMatch(/^agate: The server cannot go on: .+\. Its log says more\.\n$/);
  expect(ended.code).toBe(1);
  const [fatal] = ended.stdout.split("\n").filter((line) => line.includes('"level":60'));
  expect(JSON.parse(fatal ?? "")).toMatchObject({
    msg: "Agate cannot go on.",
    err: { stack: expect.stringContaining("SyntaxError") },
  });
});

it("answers what it has and ends when a thread dies later", async () => {
  await using folder = await filledDataFolder("stop");
  await using server = await startServer({ dataDirectory: folder.path });
  poison(folder);
  // The first commit is followed by the chore. No request may hang, whenever it comes, nor be told
  // not to try again.
  const outcomes = await Promise.all(
    Array.from({ length: 50 }, async (_, n) => {
      const spanId = String(n).padStart(16, "c");
      const span = { traceId: spanId.repeat(2), spanId, parentSpanId: null, name: "late" };
      return sendSpans(server.url, [{ ...span, start: 1_700_000_000_000_000, inputs: "" }]).catch(
        () => "refused",
      );
    }),
  );
  for (const outcome of outcomes) expect([200, 503, "refused"]).toContain(outcome);
  expect(await server.ended).toBe(1);
  expect(server.log()).toContain("agate: The server cannot go on: ");
});
