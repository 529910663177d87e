import { join } from "node:path";
import { expect, it } from "vitest";
import { startServer } from "../running-server.ts";
import type { SentSpan } from "../sent-span.ts";
import { sendSpans } from "../sent-span.ts";
import { traceSystemCalls } from "./system-calls.ts";
import { commitsBetween, readCommits } from "./wal-commits.ts";

function span(n: number): SentSpan {
  const spanId = (n + 1).toString(16).padStart(16, "0");
  const start = 1_700_000_000_000_000 + n;
  return { traceId: spanId.repeat(2), spanId, parentSpanId: null, name: "span", start, inputs: "" };
}

it("lets requests that come together share a commit", async () => {
  await using server = await startServer();
  const wal = join(server.dataDirectory, "spans.db-wal");
  expect(await sendSpans(server.url, [span(0)])).toBe(200);
  const before = await readCommits(wal);

  const requests = 400;
  const sent = Array.from({ length: requests }, (_, n) => sendSpans(server.url, [span(n + 1)]));
  expect(new Set(await Promise.all(sent))).toEqual(new Set([200]));
  const commits = commitsBetween(before, await readCommits(wal));
  console.log(`${requests} requests at once took ${commits} commits.`);
  expect(commits).toBeGreaterThan(0);
  expect(commits).toBeLessThan(requests / 2);

  // One after the other, each needs one of its own: nothing is acknowledged before its commit.
  for (let n = 0; n < 10; n++) {
    const last = await readCommits(wal);
    expect(await sendSpans(server.url, [span(requests + 1 + n)])).toBe(200);
    expect(commitsBetween(last, await readCommits(wal))).toBeGreaterThan(0);
  }
});

it("acknowledges after the write-ahead log was synced to the disk", async ({ skip }) => {
  await using server = await startServer();
  expect(await sendSpans(server.url, [span(0)])).toBe(200);
  const tracing = await traceSystemCalls(server.pid, [
    "pwrite64",
    "fdatasync",
    "fsync",
    "write",
    "writev",
  ]);
  if (tracing.kind === "unavailable") return skip(tracing.reason);

  const requests = 10;
  for (let n = 1; n <= requests; n++) expect(await sendSpans(server.url, [span(n)])).toBe(200);
  // strace may end before it has seen the last answer return: this request is the one to lose.
  expect(await sendSpans(server.url, [span(requests + 1)])).toBe(200);
  const calls = await tracing.stop();

  // One request at a time: between two answers its log is written, synced, and then answered. Writes
  // of the server's maintenance may come at any time.
  let hasWritten = false;
  let isSynced = false;
  let answers = 0;
  for (const { name, text, returned } of calls) {
    const isLog = text.includes("/spans.db-wal>");
    if (isLog && name === "pwrite64") hasWritten = true;
    if (isLog && hasWritten && /sync$/.test(name) && returned === 0) isSynced = true;
    if (text.includes("HTTP/1.1 200")) {
      answers++;
      expect(isSynced, `answer ${answers} follows a write and its sync`).toBe(true);
      hasWritten = false;
      isSynced = false;
    }
  }
  expect(answers).toBeGreaterThanOrEqual(requests);
});
