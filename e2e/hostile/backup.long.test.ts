import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clientOf } from "../command-line/agate-client.ts";
import { expectRefusal, runAgate } from "../run-agate.ts";
import { startServer } from "../running-server.ts";
import type { SentSpan } from "../sent-span.ts";
import { sendSpans } from "../sent-span.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "agate-backup-"));
});
afterAll(() => rm(folder, { recursive: true }));

function trace(n: number): SentSpan[] {
  return Array.from({ length: 5 }, (_, child) => ({
    traceId: n.toString(16).padStart(32, "0"),
    spanId: (n * 8 + child + 1).toString(16).padStart(16, "0"),
    parentSpanId: child === 0 ? null : (n * 8 + 1).toString(16).padStart(16, "0"),
    name: `span ${child}`,
    start: 1_790_000_000_000_000 + n * 10 + child,
    inputs: `content of ${n}, ${child} `.repeat(40),
  }));
}

/** Sends traces without a pause, and a key now and then, until it is told to stop. */
function ingestConstantly(url: string) {
  const acknowledged: number[] = [];
  let isStopped = false;
  const sender = async (first: number) => {
    for (let n = first; !isStopped; n += 4) {
      if ((await sendSpans(url, trace(n))) === 200) acknowledged.push(n);
    }
  };
  const keys = async () => {
    for (let n = 0; !isStopped; n++) {
      await fetch(`${url}/registry/keys`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ name: `key ${n}`, scopes: ["read"] }),
      });
    }
  };
  const work = Promise.all([1, 2, 3, 4].map(sender).concat(keys()));
  return {
    acknowledged,
    stop: async () => {
      isStopped = true;
      await work;
    },
  };
}

const readTrace = async (url: string, n: number): Promise<{ status: number; text: string }> => {
  const id = n.toString(16).padStart(32, "0");
  const response = await fetch(`${url}/observability/traces/${id}/`);
  return { status: response.status, text: await response.text() };
};

describe("agate backup under constant ingest, where `sqlite3 .backup` never finished", () => {
  it("holds every trace that was acknowledged before it began", async () => {
    const backup = join(folder, "online.tar");
    const restored = join(folder, "restored");
    await using server = await startServer();
    const ingest = ingestConstantly(server.url);
    await expect.poll(() => ingest.acknowledged.length).toBeGreaterThan(300);
    const before = [...ingest.acknowledged];
    const taken = await clientOf(server.url)("backup", backup, "--json");
    const during = ingest.acknowledged.length - before.length;
    await ingest.stop();
    expect(taken, taken.stderr).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(taken.stdout)).toMatchObject({
      file: backup,
      spans: "included",
      registry: "included",
      lost_builds: [],
    });
    // Ingest went on meanwhile.
    expect(during).toBeGreaterThan(0);
    const originals = await Promise.all(before.map((n) => readTrace(server.url, n)));
    await server.stop();

    const outcome = await runAgate(["restore", backup, "--data-dir", restored, "--json"]);
    expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(outcome.stdout)).toMatchObject({ data_directory: restored });
    await using again = await startServer({ dataDirectory: restored });
    for (const [index, n] of before.entries()) {
      const copy = await readTrace(again.url, n);
      expect(copy).toEqual({ status: 200, text: originals[index]?.text });
    }
    // The index is made from the spans again.
    const search = `${again.url}/observability/traces/?q=${encodeURIComponent(`"content of ${before[0]}"`)}`;
    await expect
      .poll(async () => ((await (await fetch(search)).json()) as { items: [] }).items.length)
      .toBeGreaterThan(0);
  });

  it("leaves nothing that looks whole when it is killed", async () => {
    await using server = await startServer();
    for (let n = 1; n < 50; n++) await sendSpans(server.url, trace(n));
    const env = { ...process.env, AGATE_BASE_URL: server.url };
    await writeFile(join(folder, "existing.tar"), "mine");
    expectRefusal(
      await runAgate(["backup", join(folder, "existing.tar")], { env }),
      1,
      /exists already/,
    );
    // At different moments of its short life.
    for (const ms of [60, 120, 180, 240, 300]) {
      const killWhen = new Promise((resolve) => setTimeout(resolve, ms));
      const { code } = await runAgate(["backup", join(folder, `killed-${ms}.tar`)], {
        env,
        killWhen,
      });
      const isThere = (await readdir(folder)).includes(`killed-${ms}.tar`);
      if (!isThere) {
        expect(code).not.toBe(0);
        continue;
      }
      const check = await runAgate([
        "restore",
        join(folder, `killed-${ms}.tar`),
        "--data-dir",
        join(folder, `from-killed-${ms}`),
      ]);
      expect(check.code, check.stderr).toBe(0);
    }
  });
});

describe("the documented procedure", () => {
  it("works on a stopped server's folder, and says what is wrong with anything else", async () => {
    const data = join(folder, "stopped");
    {
      await using server = await startServer({ dataDirectory: data });
      await sendSpans(server.url, trace(1));
      expectRefusal(
        await runAgate(["backup", join(folder, "used.tar"), "--data-dir", data]),
        1,
        /A server is using the data directory/,
      );
      await server.kill();
    }
    const backup = join(folder, "offline.tar");
    const taken = await runAgate(["backup", backup, "--data-dir", data]);
    expect(taken.stdout).toMatch(/^Backed up to .*offline\.tar \(/);
    expectRefusal(
      await runAgate(["restore", backup, "--data-dir", data]),
      1,
      /is not empty.*--replace/,
    );
    expectRefusal(
      await runAgate(["restore", join(folder, "nope.tar"), "--data-dir", join(folder, "x")]),
      1,
      /File not found/,
    );
    expectRefusal(await runAgate(["restore", backup]), 2, /--data-dir/);
    expectRefusal(
      await runAgate(["backup", join(folder, "y.tar"), "--data-dir", join(folder, "empty")]),
      1,
      /neither spans\.db nor registry\.db/,
    );
    expect((await runAgate(["restore", backup, "--data-dir", data, "--replace"])).code).toBe(0);
    await using server = await startServer({ dataDirectory: data });
    expect((await readTrace(server.url, 1)).status).toBe(200);
  });
});
