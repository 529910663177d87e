import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import type { NewRun, NewRunResult, Run, RunCase, RunReport, RunResult } from "@agate/protocol";
import {
  MOST_RUN_BATCH,
  MOST_RUN_COLUMNS,
  MOST_RUN_SCORERS,
  MOST_RUN_TRIALS,
} from "@agate/protocol";
import { judgeRun, type ScoreOutcome } from "@agate/protocol/statistics";
import { afterAll, describe, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../../../stores/contract/stored-span.fixture.ts";
import type { TestResponse } from "../../testing/send-request.fixture.ts";
import { startTestPlatform, TEST_PROJECT } from "../../testing/test-platform.fixture.ts";

const platform = await startTestPlatform();
afterAll(() => platform.close());

const RUNS = "/registry/runs";
const NEW_RUN: NewRun = {
  application: "support",
  evaluation: "tickets",
  testset: { kind: "inline" },
  scorers: [{ name: "right" }],
  columns: [
    { name: "candidate", ref: "default" },
    { name: "baseline", ref: "env:production" },
  ],
};
const OK: NewRunResult = {
  column: "candidate",
  case: "a",
  status: "ok",
  output: "billing",
  scores: [{ name: "right", value: 1 }],
};

function post(path: string, body: unknown = {}): Promise<TestResponse> {
  return platform.send({
    method: "POST",
    path: `${RUNS}${path}`,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

async function sent(path: string, body?: unknown) {
  const response = await post(path, body);
  expect(response.status, response.body.toString()).toBeLessThan(300);
  return response.json;
}

/** Creates a run with cases. @returns its path. */
async function start(run: Partial<NewRun> = {}, cases: readonly string[] = ["a"]): Promise<string> {
  const { id } = await sent("", { ...NEW_RUN, ...run });
  for (let first = 0; first < cases.length; first += MOST_RUN_BATCH) {
    const batch = cases.slice(first, first + MOST_RUN_BATCH);
    await sent(`/${id}/cases`, { cases: batch.map((each) => ({ id: each, inputs: each })) });
  }
  return `/${id}`;
}

async function expectProblem(response: Promise<TestResponse>, status: number, loc: unknown[]) {
  const { status: found, json } = await response;
  expect([found, json.detail[0].loc], JSON.stringify(json)).toEqual([status, loc]);
}

async function get<Answer>(path: string): Promise<Answer> {
  const response = await platform.get(`${RUNS}${path}`);
  expect(response.status, response.body.toString()).toBe(200);
  return response.json;
}

describe("a run", () => {
  it("answers each request that is sent again, and refuses others", async () => {
    const created = await post("", { ...NEW_RUN, id: "again", gate: { errors: { share: 0 } } });
    expect([created.status, created.headers.location]).toEqual([201, `${RUNS}/again`]);
    expect(created.json).toMatchObject({ started_by: "local", trials: 1, runner: "client" });
    const again = await post("", { gate: { errors: { share: 0 } }, id: "again", ...NEW_RUN });
    expect([again.status, again.json]).toEqual([201, created.json]);
    await expectProblem(post("", { ...NEW_RUN, id: "again" }), 409, ["body", "id"]);
    const cases = { cases: [{ id: "a", inputs: 1 }] };
    expect(await sent("/again/cases", cases)).toEqual({ added: 1, ignored: [] });
    expect(await sent("/again/cases", cases)).toEqual({ added: 0, ignored: ["a"] });
    expect(await sent("/again/results", { results: [OK] })).toEqual({ added: 1, ignored: [] });
    const other = { ...OK, output: "other", scores: [{ name: "right", value: 0 }] };
    expect(await sent("/again/results", { results: [other] })).toEqual({
      added: 0,
      ignored: [{ column: "candidate", case: "a", trial: 0 }],
    });
    const finished: Run = await sent("/again/finish");
    expect(finished).toMatchObject({
      status: "finished",
      items: 2,
      results: 1,
      verdict: { verdict: "passed", gates: [{ gate: "errors", verdict: "passed" }] },
    });
    expect(await sent("/again/finish")).toEqual(finished);
    await expectProblem(post("/again/results", { results: [OK] }), 409, ["path", "run"]);
    await expectProblem(post("/again/cases", cases), 409, ["path", "run"]);
    await expectProblem(post("/again/stop"), 409, ["path", "run"]);
    const { items } = await get<{ items: RunResult[] }>("/again/results");
    expect(items).toMatchObject([{ output: "billing", scores: [{ value: 1, label: null }] }]);
  });

  it("is stopped, listed and deleted", async () => {
    const path = await start({ evaluation: "stopped", application: "other" });
    expect(await sent(`${path}/stop`, { status: "failed", reason: "No key." })).toMatchObject({
      status: "failed",
      reason: "No key.",
      verdict: null,
    });
    const list = (query: string) => get<{ items: Run[]; next_cursor: string | null }>(query);
    const found = await list("?application=other&evaluation=stopped&status=failed&limit=1");
    expect(found.items).toHaveLength(1);
    expect((await list("?application=other&status=running")).items).toEqual([]);
    await start();
    const first = await list("?limit=1");
    const second = await list(`?limit=1&cursor=${first.next_cursor}`);
    expect(second.items[0]?.id).not.toBe(first.items[0]?.id);
    const remove = () => platform.send({ method: "DELETE", path: RUNS + path });
    expect((await remove()).status).toBe(204);
    expect((await remove()).status).toBe(404);
  });

  it("lists what got worse, and has the figures", async () => {
    const path = await start({}, ["a", "b"]);
    const scored = (column: string, id: string, value: number | boolean) => ({
      ...OK,
      column,
      case: id,
      scores: [{ name: "right", value }],
    });
    const results = [
      scored("candidate", "a", true),
      scored("baseline", "a", false),
      scored("candidate", "b", 0.25),
      scored("baseline", "b", 0.5),
    ];
    await sent(`${path}/results`, { results });
    const worse = await get<{ items: RunCase[] }>(`${path}/cases?worse=true&score=right`);
    expect(worse.items).toMatchObject([{ id: "b", differences: { right: -0.25 } }]);
    const { figures } = await get<RunReport>(path);
    expect(figures.scores).toMatchObject([
      {
        score: "right",
        columns: [{ mean: 0.625, ok: 2 }, { mean: 0.25 }],
        comparison: { missing: 0 },
      },
    ]);
    const page = await get<{ items: RunResult[] }>(`${path}/results?column=baseline&case=a`);
    expect(page.items).toMatchObject([{ scores: [{ value: 0, label: "no" }] }]);
  });
});

describe("what does not fit", () => {
  it.each<[string, object, unknown[]]>([
    ["an id", { id: "a b" }, ["id"]],
    ["no columns", { columns: [] }, ["columns"]],
    ["a share beyond 1", { gate: { errors: { share: 1.1 } } }, ["gate", "errors", "share"]],
    [
      "a margin below 0",
      { gate: { scores: { right: { notWorseBy: -1 } } } },
      ["gate", "scores", "right", "notWorseBy"],
    ],
    ["an unknown gate", { gate: { speed: 1 } }, ["gate", "speed"]],
    [
      "a gate on no scorer",
      { gate: { scores: { rihgt: { min: 1 } } } },
      ["gate", "scores", "rihgt"],
    ],
    ["an unknown kind", { testset: { kind: "golden" } }, ["testset", "kind"]],
    ["too many trials", { trials: MOST_RUN_TRIALS + 1 }, ["trials"]],
    ["too many columns", { columns: columns(MOST_RUN_COLUMNS + 1) }, ["columns"]],
    ["too many scorers", { scorers: scorers(MOST_RUN_SCORERS + 1) }, ["scorers"]],
    ["a seed of 32 bits", { seed: 2 ** 31 }, ["seed"]],
  ])("%s is a 422", async (_, run, loc) => {
    await expectProblem(post("", { ...NEW_RUN, ...run }), 422, ["body", ...loc]);
  });

  it("creates no run for servers to take up", async () => {
    const refused = await post("", { ...NEW_RUN, id: "ours", runner: "platform" });
    expect([refused.status, refused.json.detail]).toEqual([
      422,
      [
        {
          type: "body_invalid",
          loc: ["body", "runner"],
          msg: expect.stringContaining("Start a run"),
        },
      ],
    ]);
    expect((await platform.get(`${RUNS}/ours`)).status).toBe(404);
    await expectProblem(post("", { ...NEW_RUN, runner: 1 }), 422, ["body", "runner"]);
    expect(await sent("", { ...NEW_RUN, runner: "client" })).toMatchObject({ runner: "client" });
    expect(await sent("", { ...NEW_RUN, runner: null })).toMatchObject({ runner: "client" });
  });

  it("takes what is at these limits", async () => {
    const most = {
      trials: MOST_RUN_TRIALS,
      columns: columns(MOST_RUN_COLUMNS),
      scorers: scorers(MOST_RUN_SCORERS),
      seed: 2 ** 31 - 1,
    };
    expect((await post("", { ...NEW_RUN, ...most })).status).toBe(201);
  });

  it.each<[string, object, unknown[]]>([
    ["a value beyond 1", { scores: [{ name: "right", value: 1.5 }] }, ["scores", 0, "value"]],
    ["no value", { scores: [{ name: "right" }] }, ["scores", 0, "value"]],
    [
      "a value of a failed score",
      { scores: [{ name: "right", status: "failed", value: 0 }] },
      ["scores", 0, "value"],
    ],
    ["an unknown score", { scores: [{ name: "left", value: 0 }] }, ["scores", 0, "name"]],
    ["an unknown column", { column: "other" }, ["column"]],
    ["an unknown case", { case: "b" }, ["case"]],
    ["a trial too many", { trial: 1 }, ["trial"]],
    ["a cost below 0", { cost: -1 }, ["cost"]],
    ["a trace id that is none", { trace_id: "ä" }, ["trace_id"]],
  ])("%s of a result is a 422", async (_, result, loc) => {
    const path = await start();
    const results = [{ ...OK, ...result }];
    const where = ["body", "results", 0, ...loc];
    await expectProblem(post(`${path}/results`, { results }), 422, where);
  });

  it("bounds batches on both sides", async () => {
    const path = await start({}, []);
    const cases = Array.from({ length: MOST_RUN_BATCH + 1 }, (_, n) => ({ id: `${n}`, inputs: n }));
    for (const wrong of [[], cases]) {
      await expectProblem(post(`${path}/cases`, { cases: wrong }), 422, ["body", "cases"]);
    }
    await sent(`${path}/cases`, { cases: cases.slice(1) });
    await sent(`${path}/cases`, { cases: cases.slice(0, 1) });
    const results = cases.map(({ id }) => ({ ...OK, case: id }));
    for (const wrong of [[], results]) {
      await expectProblem(post(`${path}/results`, { results: wrong }), 422, ["body", "results"]);
    }
    const added = await sent(`${path}/results`, { results: results.slice(1) });
    expect(added).toEqual({ added: MOST_RUN_BATCH, ignored: [] });
  });

  it("an unknown run is a 404", async () => {
    await expectProblem(post("/none/finish"), 404, ["path", "run"]);
    await expectProblem(platform.get(`${RUNS}/%00`), 404, ["path", "run"]);
  });
});

describe("results", () => {
  it("write their scores to the traces that they name, the first ones for good", async () => {
    await platform.append([storedSpan()]);
    const path = await start({
      id: "traced",
      scorers: [
        { name: "right", version: "v1" },
        { name: "helpful", version: "v2", kind: "model" },
      ],
    });
    const result = { ...OK, trace_id: traceIdOf(1) };
    const judged = (value: number) => ({
      ...result,
      scores: [
        { name: "right", value },
        { name: "helpful", value, version: "v3" },
      ],
    });
    await sent(`${path}/results`, { results: [judged(0.25)] });
    await sent(`${path}/results`, { results: [judged(1)] });
    const { json } = await platform.get(`/observability/traces/${traceIdOf(1)}/`);
    expect(json.metadata.scores).toMatchObject([
      {
        name: "right",
        value: 0.25,
        run: "traced",
        case: "a",
        column: "candidate",
        trial: 0,
        source: { kind: "code", evaluator: "right", version: "v1" },
      },
      {
        name: "helpful",
        value: 0.25,
        source: { kind: "model", evaluator: "helpful", version: "v3" },
      },
    ]);
  });

  it("lose their explanations when the row of their case is purged, in their traces too", async () => {
    const row = { inputs: { text: "a" }, metadata: {}, tags: [], source: null };
    const { testSets } = platform.registry;
    const set = { slug: "purged", description: "", boundTo: null };
    await testSets.create(TEST_PROJECT, set, "tests");
    await testSets.commit(TEST_PROJECT, "purged", {
      change: { kind: "append", rows: [{ id: "a", ...row }] },
      baseRevision: null,
      by: "tests",
      message: "",
    });
    await platform.append([storedSpan({ traceId: traceIdOf(7), id: spanIdOf(7) })]);
    const path = await start({
      id: "purged",
      testset: { kind: "testset", name: "purged", revision: 1 },
      scorers: [{ name: "right", version: "v1", kind: "model" }],
    });
    const score = { name: "right", value: 0.25, label: "no", explanation: "It quotes the case." };
    const result = { ...OK, trace_id: traceIdOf(7), scores: [score] };
    await sent(`${path}/results`, { results: [result] });
    const judged = async () =>
      (await platform.get(`/observability/traces/${traceIdOf(7)}/`)).json.metadata.scores;
    const [before] = await judged();
    expect(before).toMatchObject({ explanation: "It quotes the case.", source: { kind: "model" } });
    const purged = await platform.send({
      method: "POST",
      path: "/registry/testsets/purged/rows/a/purge",
    });
    expect(purged.status).toBe(204);
    expect(await judged()).toEqual([{ ...before, explanation: null }]);
  });

  it("are stored without what the project's rules hide", async () => {
    const project = { project: TEST_PROJECT };
    const rules = { patterns: ["email"] };
    const { registry, access } = platform;
    await registry.redaction.set(project.project, rules, "tests");
    await access.reload();
    const path = await start({}, ["a", "b"]);
    const explanation = "It names eve@example.com.";
    const scores = [{ name: "right", value: 1, explanation }];
    const failed = { ...OK, case: "b", status: "error", error: explanation, scores: [] };
    const results = [{ ...OK, output: { to: ["eve@example.com"], n: 1 }, scores }, failed];
    await sent(`${path}/results`, { results });
    await registry.redaction.set(project.project, {}, "tests");
    await access.reload();
    const { items } = await get<{ items: RunResult[] }>(`${path}/results`);
    expect(JSON.stringify(items)).not.toContain("eve@");
    expect(items[0]).toMatchObject({ output: { n: 1 } });
  });
});

it("gives 2,000 cases × 3 trials × 2 columns the verdict of judgeRun", async () => {
  const ids = Array.from({ length: 2000 }, (_, n) => `case ${n}`);
  const gate = {
    scores: { right: { min: 0.4, notWorseBy: 0.02 } },
    cost: { mean: 0.01 },
    latency: { p95: 950 },
    errors: { share: 0.05 },
  };
  const path = await start({ trials: 3, gate }, ids);
  const random = generator(16);
  const items = ids.flatMap((id) =>
    ["candidate", "baseline"].flatMap((column) =>
      [0, 1, 2].map((trial) => ({ id, column, trial, ...outcome(column, random) })),
    ),
  );
  for (let first = 0; first < items.length; first += MOST_RUN_BATCH) {
    const results = items.slice(first, first + MOST_RUN_BATCH).map(asResult);
    expect(await sent(`${path}/results`, { results })).toMatchObject({ added: results.length });
  }
  const ours = items.filter(({ column }) => column === "candidate");
  const outcomes = Map.groupBy(items, ({ id, column }) => `${id} ${column}`);
  const outcomesOf = (id: string, column: string) =>
    (outcomes.get(`${id} ${column}`) ?? []).map(({ score }) => score);
  const expected = judgeRun(gate, {
    scores: {
      right: ids.map((id) => ({
        candidate: outcomesOf(id, "candidate"),
        baseline: outcomesOf(id, "baseline"),
      })),
    },
    calls: {
      latencies: ours.map(({ latency, isError }) => (isError ? undefined : latency)),
      costs: ours.map(({ isError }) => (isError ? undefined : 0.002)),
      errors: ours.filter(({ isError }) => isError).length,
      calls: ours.length,
    },
  });
  const finished: Run = await sent(`${path}/finish`);
  expect(finished).toMatchObject({ cases: 2000, items: 12_000, results: 12_000 });
  expect(finished.verdict).toEqual(JSON.parse(JSON.stringify(expected)));
});

it("runs the example of docs/reference/http-api.md", async () => {
  const page = new URL("../../../../../../docs/reference/http-api.md", import.meta.url);
  const [, script = ""] =
    /^## Runs of evaluations\n[\s\S]*?^```sh\n([\s\S]*?)^```/m.exec(readFileSync(page, "utf8")) ??
    [];
  const own = script.replace("127.0.0.1:4100", `127.0.0.1:${platform.server.port}`);
  const { stdout } = await promisify(execFile)("sh", [
    "-ec",
    own.replaceAll("curl -f", "curl -sSf"),
  ]);
  expect(stdout).toContain('"status":"finished"');
  const run = await get<RunReport>("/ci-8123");
  expect(run).toMatchObject({ results: 2, errors: 1, verdict: { verdict: "passed" } });
  expect(run.verdict?.gates).toHaveLength(2);
});

function columns(count: number) {
  return Array.from({ length: count }, (_, n) => ({ name: `c${n}`, ref: "default" }));
}

function scorers(count: number) {
  return [{ name: "right" }, ...Array.from({ length: count - 1 }, (_, n) => ({ name: `s${n}` }))];
}

interface Outcome {
  readonly isError: boolean;
  readonly latency: number;
  readonly score: ScoreOutcome;
}

function outcome(column: string, random: () => number): Outcome {
  const isError = random() < 0.01;
  const share = random();
  const isRight = random() < (column === "candidate" ? 0.7 : 0.8) ? 1 : 0;
  const judged = share < 0.02 ? "skipped" : share < 0.04 ? "failed" : isRight;
  return { isError, latency: Math.floor(random() * 1000), score: isError ? "failed" : judged };
}

type Item = Outcome & { readonly id: string; readonly column: string; readonly trial: number };

function asResult({ id, column, trial, isError, latency, score }: Item): NewRunResult {
  const item = { column, case: id, trial };
  if (isError) return { ...item, status: "error", error: "It failed." };
  const scored = typeof score === "number" ? { value: score } : { status: score };
  const scores = [{ name: "right", ...scored }];
  return { ...item, status: "ok", output: id, latency_ms: latency, cost: 0.002, scores };
}

/** The same numbers from 0 to 1 in every run of the test. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
