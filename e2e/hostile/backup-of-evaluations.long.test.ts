import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sharedPostgres } from "../../packages/platform/src/stores/testing/shared-databases.fixture.ts";
import { clientOf } from "../command-line/agate-client.ts";
import { runAgate } from "../run-agate.ts";
import { startServer } from "../running-server.ts";
import { sendOtlp } from "../send-otlp.ts";
import { migrate } from "../stores/migrating.ts";

const RUN = "ci-1";
const CASES = ["one", "zwei", "三"];
const traceIdOf = (n: number) => String(n).padStart(32, "a");
const spanIdOf = (n: number) => String(n).padStart(16, "b");
/** Judged, and not there. */
const EARLY = 99;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "agate-backup-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function ask(url: string, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${url}${path}`, {
    method,
    ...(body !== undefined && {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  });
  const text = await response.text();
  expect(response.ok, `${method} ${path}: ${response.status} ${text}`).toBe(true);
  return text === "" ? null : JSON.parse(text);
}

function span(n: number) {
  const times = { start: 1_790_000_000_000 + n, end: 1_790_000_000_005 + n };
  return { traceId: traceIdOf(n), spanId: spanIdOf(n), name: `call ${n}`, ...times };
}

/** Test set with two revisions, a finished run with its traces, thumbs, and a score without a span. */
async function fill(url: string): Promise<void> {
  const send = (path: string, body?: object) => ask(url, "POST", path, body);
  await send("/registry/testsets", { slug: "golden" });
  const rows = CASES.map((id) => ({ id, inputs: { text: id }, expected: `>${id}`, tags: ["ä"] }));
  const revisions = "/registry/testsets/golden/revisions";
  await send(revisions, { base_revision: 0, rows });
  await send(revisions, { base_revision: 1, rows: [{ ...rows[0], expected: null }, rows[2]] });
  await sendOtlp(
    url,
    CASES.map((row, n) => ({
      ...span(n),
      attributes: { "ag.evaluation.run": RUN, "ag.evaluation.case": row },
    })),
  );
  await sendOtlp(url, [span(50)]);
  await send("/registry/runs", {
    id: RUN,
    application: "desk",
    evaluation: "quality",
    testset: { kind: "testset", name: "golden", revision: 1 },
    scorers: [{ name: "right", version: "1" }],
    columns: [{ name: "candidate", ref: "prompt 2" }],
    gate: { scores: { right: { min: 0.5 } } },
  });
  const cases = CASES.map((id) => ({ id, inputs: { text: id }, expected: `>${id}` }));
  await send(`/registry/runs/${RUN}/cases`, { cases });
  const results = CASES.map((id, n) => ({
    ...{ column: "candidate", case: id, status: "ok", output: { text: `>${id}` } },
    ...{ latency_ms: n + 0.5, cost: 1e-7, trace_id: traceIdOf(n), span_id: spanIdOf(n) },
    scores: [{ name: "right", value: n !== 1, explanation: "weil" }],
  }));
  await send(`/registry/runs/${RUN}/results`, { results });
  await send(`/registry/runs/${RUN}/finish`);
  const thumb = { name: "thumb", source: { kind: "end_user", person: "ann" } };
  const scores = [50, EARLY].map((n) => ({ ...thumb, trace_id: traceIdOf(n), value: 0.25 }));
  await send("/observability/scores/", { scores });
}

/** Everything that was filled in, as a server answers it. */
async function documents(url: string): Promise<unknown[]> {
  const paths = [
    "/registry/testsets/golden",
    ...[1, 2].map((revision) => `/registry/testsets/golden/revisions/${revision}/rows`),
    "/registry/testsets/golden/diff?from=1&to=2",
    ...["", "/cases", "/results"].map((part) => `/registry/runs/${RUN}${part}`),
    ...[0, 1, 2, 50].map((n) => `/observability/traces/${traceIdOf(n)}/`),
    "/observability/traces/?traffic=evaluation&score=right=0.0",
    "/observability/analytics/scores/?from=2026-09-20&to=2026-09-24&traffic=all&interval=1d",
  ];
  return Promise.all(paths.map(async (path) => [path, await ask(url, "GET", path)]));
}

async function expectTheSame(url: string, wanted: readonly unknown[]): Promise<void> {
  expect(await documents(url)).toEqual(wanted);
  // The score that came first is there when its span arrives.
  await sendOtlp(url, [span(EARLY)]);
  expect(await ask(url, "GET", `/observability/traces/${traceIdOf(EARLY)}/`)).toMatchObject({
    metadata: { scores: [{ name: "thumb", value: 0.25, source: { person: "ann" } }] },
  });
}

it("test sets, runs and scores are in a backup, and in what both migrations copy", async () => {
  const backup = join(folder, "backup.tar");
  let wanted: unknown[];
  {
    await using server = await startServer({ dataDirectory: join(folder, "first") });
    await fill(server.url);
    wanted = await documents(server.url);
    expect(JSON.stringify(wanted)).toContain('"verdict":"passed"');
    const taken = await clientOf(server.url)("backup", backup);
    expect(taken.code, taken.stderr).toBe(0);
    expect(await server.stop()).toBe(0);
  }
  const dataDirectory = join(folder, "restored");
  const restored = await runAgate(["restore", backup, "--data-dir", dataDirectory]);
  expect(restored.code, restored.stderr).toBe(0);
  {
    await using server = await startServer({ dataDirectory });
    await expectTheSame(server.url, wanted);
  }
  const { url } = await (await sharedPostgres()).createDatabase();
  for (const command of ["migrate-registry", "migrate-store"] as const) {
    const args = ["sqlite:first", "env:DATABASE"];
    const { code, stderr } = await migrate(args, { command, folder, env: { DATABASE: url } });
    expect(code, stderr).toBe(0);
  }
  await using server = await startServer({ flags: ["--store", url, "--registry", url] });
  await expectTheSame(server.url, wanted);
});
