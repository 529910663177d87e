import {
  MOST_RUN_CONCURRENCY,
  MOST_RUN_TRIALS,
  type NewPlatformRun,
  type Run,
  type RunResult,
} from "@agate/protocol";
import type { DeclaredEvaluation, ScoreRequest } from "@agate/protocol/evaluator";
import { judgeRun } from "@agate/protocol/statistics";
import type { TestRow } from "@agate/protocol/testsets";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { MOST_RUNS } from "../../../evaluations/run-executor.ts";
import { MOST_RESTARTS } from "../../../evaluations/run-processes.ts";
import {
  type Script,
  ScriptedEvaluators,
} from "../../../evaluations/testing/scripted-evaluators.fixture.ts";
import { goLive, newBuild } from "../../../registry/testing/go-live.fixture.ts";
import type { TestPlatform } from "../../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../../testing/test-platform.fixture.ts";

const APP = { project: "default", application: "support" };
const START = "/registry/applications/support/evaluations/tickets/runs";
const SOON = { timeout: 60_000, interval: 20 };

const TICKETS: DeclaredEvaluation = {
  name: "tickets",
  application: "support",
  route: "/answer",
  testset: [
    { id: "refund", inputs: { text: "refund" }, expected: "billing" },
    { id: "crash", inputs: { text: "crash" }, expected: "bugs" },
    { inputs: { text: "hello" }, expected: "other" },
  ],
  trials: 2,
  concurrency: 4,
  gate: { scores: { right: { min: 0.9, notWorseBy: 0.5 } } },
  scorers: [
    { name: "right", version: "v1", kind: "code" },
    { name: "short", version: "v1", kind: "code" },
  ],
};
const LABELS: Record<string, string> = { refund: "billing", crash: "bugs", hello: "other" };

function labelOf(inputs: unknown): string {
  return LABELS[(inputs as { text: string }).text] ?? "";
}

/** Right but for revision 2, which takes everything for billing. */
const SCRIPT: Script = {
  evaluations: [TICKETS],
  call: ({ inputs, variant }) => ({
    output: variant?.revision === 2 ? "billing" : labelOf(inputs),
    cost: 0.25,
  }),
  score: ({ output, expected }: ScoreRequest, build) => ({
    scores: {
      right: {
        status: "ok",
        value: Number(output === expected),
        explanation: `judged by build ${build}`,
      },
      short: { status: "skipped", explanation: "no limit" },
    },
    cost: 0,
  }),
};

const evaluators = new ScriptedEvaluators(SCRIPT);
let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform({ evaluators });
  const { registry } = platform;
  const application = done(await registry.applications.create("default", "support"));
  await registry.variants.create(APP, "default");
  await registry.variants.create(APP, "empty");
  for (const baseRevision of [0, 1]) {
    const commit = { by: "a", message: "", params: {}, baseRevision };
    done(await registry.revisions.commit(APP, "default", commit));
  }
  const build = done(await registry.builds.begin(APP, newBuild({ commit: "abc" })));
  const config = { variant: "default", revision: 1 };
  done(await goLive(registry, APP, { environment: "staging", build: "1", config }));
  const { id, slug } = application;
  evaluators.newestBuild = { project: "default", application: { id, slug }, build };
});
afterAll(async () => {
  await platform.close();
  evaluators.dispose();
});
afterEach(() => {
  evaluators.script = SCRIPT;
  evaluators.calls.length = 0;
  evaluators.started.length = 0;
});

function done<Value>(outcome: { kind: "done"; value: Value } | { kind: "refused" }): Value {
  if (outcome.kind === "refused") throw new Error(JSON.stringify(outcome));
  return outcome.value;
}

function send(path: string, body: unknown = {}) {
  const headers = { "content-type": "application/json" };
  return platform.send({ method: "POST", path, headers, body: JSON.stringify(body) });
}

async function start(asked: NewPlatformRun = {}): Promise<Run> {
  const { status, json } = await send(START, asked);
  expect(status, JSON.stringify(json)).toBe(201);
  return json;
}

async function read(id: string): Promise<Run> {
  return (await platform.get(`/registry/runs/${id}`)).json;
}

async function ended(id: string): Promise<Run> {
  await expect.poll(async () => (await read(id)).status, SOON).not.toBe("running");
  return read(id);
}

async function resultsOf(id: string): Promise<RunResult[]> {
  return (await platform.get(`/registry/runs/${id}/results?limit=1000`)).json.items;
}

describe("a run of the platform", () => {
  it("calls every column, has all scored by one build, and is judged", async () => {
    const started = await start({ candidate: "default", baseline: "env:staging", message: "why" });
    expect(started).toMatchObject({
      runner: "platform",
      status: "running",
      items: 12,
      commit: "abc",
      message: "why",
      testset: { kind: "inline" },
      columns: [
        { name: "candidate", ref: "default", variant: "default", revision: 2 },
        { name: "baseline", ref: "env:staging", variant: "default", revision: 1 },
      ],
      plan: { cases: 3, concurrency: 4, max_cost: null, environment: "development" },
    });
    const run = await ended(started.id);
    expect(run).toMatchObject({ status: "finished", results: 12, errors: 0, costs: { calls: 3 } });
    const results = await resultsOf(run.id);
    const items = results.map((each) => `${each.column} ${each.case} ${each.trial}`);
    expect(new Set(items).size).toBe(12);
    expect(evaluators.calls).toHaveLength(12);
    expect(new Set(results.map(({ latency_ms }) => latency_ms))).toEqual(new Set([12]));
    // The same verdict as the statistics give for these results.
    const valuesOf = (id: string, column: string) =>
      results
        .filter((each) => each.column === column && each.case === id)
        .map(({ scores }) => scores.find(({ name }) => name === "right")?.value ?? "failed");
    const cases = [...new Set(results.map((each) => each.case))];
    const right = cases.map((id) => ({
      candidate: valuesOf(id, "candidate"),
      baseline: valuesOf(id, "baseline"),
    }));
    const calls = { latencies: [], costs: [], errors: 0, calls: 6 };
    const expected = judgeRun(TICKETS.gate ?? {}, { scores: { right }, calls });
    expect(run.verdict).toEqual(JSON.parse(JSON.stringify(expected)));
    expect(run.verdict?.verdict).toBe("failed");
    const judges = results.map(({ scores }) => scores[0]?.explanation);
    expect(new Set(judges)).toEqual(new Set(["judged by build 1"]));
    expect(evaluators.started).toEqual([1]);
  });

  it("judges columns of different builds by the candidate's scorers", async () => {
    const { registry } = platform;
    const second = done(await registry.builds.begin(APP, newBuild()));
    done(await goLive(registry, APP, { environment: "production", build: "2", config: LIVE }));
    try {
      const run = await ended(
        (await start({ candidate: "env:production", baseline: "env:staging" })).id,
      );
      expect(run.plan?.build).toEqual({ id: second.id, number: 2 });
      const called = (column: string) =>
        new Set(
          evaluators.calls.filter((call) => call.column === column).map(({ build }) => build),
        );
      expect([called("env:production"), called("env:staging")]).toEqual([
        new Set([2]),
        new Set([1]),
      ]);
      const judges = (await resultsOf(run.id)).map(({ scores }) => scores[0]?.explanation);
      expect(new Set(judges)).toEqual(new Set(["judged by build 2"]));
      // The build of a request wins, and scores stored outputs, too.
      const asked = { candidate: `run:${run.id}`, baseline: "env:production", build: 1 };
      const again = await ended((await start(asked)).id);
      expect(again).toMatchObject({ status: "finished", results: 12 });
      const rescored = await resultsOf(again.id);
      expect(new Set(rescored.map(({ scores }) => scores[0]?.explanation))).toEqual(
        new Set(["judged by build 1"]),
      );
      const stored = rescored.filter(({ column }) => column === "candidate");
      expect(stored.map(({ output, cost }) => [output, cost]).toSorted()).toEqual(
        (await resultsOf(run.id))
          .filter(({ column }) => column === "candidate")
          .map(({ output }) => [output, 0])
          .toSorted(),
      );
    } finally {
      await registry.deployments.takeDown(APP, "production");
    }
  });

  it("keeps what it was started with when something is committed, deployed or saved", async () => {
    const { registry } = platform;
    const rows = [1, 2, 3].map((n) => row(`row-${n}`, "refund"));
    await registry.testSets.create(
      "default",
      { slug: "golden", description: "", boundTo: null },
      "a",
    );
    const saved = { baseRevision: null, by: "a", message: "" };
    const replace = { kind: "replace", rows, lines: null } as const;
    done(await registry.testSets.commit("default", "golden", { ...saved, change: replace }));
    const gate = holding();
    evaluators.script = { ...SCRIPT, call: gate.call };
    const started = await start({ testset: "golden", concurrency: 1, candidate: "default" });
    expect(started.testset).toMatchObject({ kind: "testset", name: "golden", revision: 1 });
    await gate.reached;
    const commit = { by: "a", message: "", params: {}, baseRevision: 2 };
    done(await registry.revisions.commit(APP, "default", commit));
    done(await goLive(registry, APP, { environment: "staging", build: "2", config: LIVE }));
    const deleted = { kind: "patch", upsert: [], delete: ["row-1", "row-2"] } as const;
    done(await registry.testSets.commit("default", "golden", { ...saved, change: deleted }));
    gate.open();
    const run = await ended(started.id);
    expect(run).toMatchObject({ status: "finished", cases: 3, results: 6 });
    const called = evaluators.calls.map(({ build, variant }) => [build, variant?.revision]);
    expect(new Set(called.map(String))).toEqual(new Set(["1,2"]));
  });

  it("never has more calls running than it was asked for", async () => {
    let running = 0;
    let most = 0;
    let next = Promise.withResolvers<void>();
    evaluators.script = {
      ...SCRIPT,
      async call(call) {
        running += 1;
        most = Math.max(most, running);
        // Three at a time: fewer would wait for ever.
        if (running % 3 === 0) next.resolve();
        const { promise } = next;
        if (running % 3 === 0) next = Promise.withResolvers();
        await promise;
        running -= 1;
        return SCRIPT.call(call);
      },
    };
    await ended((await start({ trials: 10, concurrency: 3 })).id);
    expect(most).toBe(3);
  });

  it("breaks running calls off when it is stopped, and keeps its results", async () => {
    const gate = holding();
    evaluators.script = { ...SCRIPT, call: gate.call };
    const { id } = await start({ concurrency: 2 });
    await gate.reached;
    const { json } = await send(`/registry/runs/${id}/stop`, { reason: "enough" });
    expect(json).toMatchObject({ status: "stopped", reason: "enough" });
    await gate.aborted;
    expect(await read(id)).toMatchObject({ status: "stopped", verdict: null });
    gate.open();
  });

  it("stops at its cost ceiling, and at the first unknown cost", async () => {
    const reached = await ended((await start({ concurrency: 1, max_cost: 0.5 })).id);
    expect(reached).toMatchObject({
      status: "stopped",
      reason: "The cost ceiling was reached.",
      results: 2,
    });
    // One more is running when the ceiling is reached; what it gave is kept.
    const dear = await ended((await start({ concurrency: 1, max_cost: 0.6 })).id);
    expect(dear.results).toBe(3);
    evaluators.script = { ...SCRIPT, call: () => ({ output: "", cost: null }) };
    const unknown = await ended((await start({ concurrency: 1, max_cost: 100 })).id);
    expect(unknown).toMatchObject({ status: "stopped", results: 1 });
    expect(unknown.reason).toContain("A cost is unknown");
    // Without a ceiling it goes on.
    expect((await ended((await start()).id)).status).toBe("finished");
  });

  it("repeats calls of an overloaded model, and records others that fail", async () => {
    const seen = new Set<string>();
    evaluators.script = {
      ...SCRIPT,
      call(call) {
        const first = !seen.has(call.case);
        seen.add(call.case);
        if (call.case === "crash") return { error: "no such tool" };
        return call.case === "refund" && first
          ? { error: "busy", overload: 429 }
          : SCRIPT.call(call);
      },
    };
    const run = await ended((await start({ trials: 1 })).id);
    expect(run).toMatchObject({ status: "finished", results: 3, errors: 1 });
    expect(evaluators.calls).toHaveLength(4);
    const failed = (await resultsOf(run.id)).find(({ status }) => status === "error");
    expect(failed).toMatchObject({ case: "crash", error: "no such tool", output: null });
    expect(failed?.scores.map(({ status }) => status)).toEqual(["failed", "failed"]);
  });

  it("starts an evaluator again that crashes, a few times", async () => {
    let crashes = 0;
    evaluators.script = {
      ...SCRIPT,
      call(call) {
        if (crashes < MOST_RESTARTS && call.case === "crash") {
          crashes += 1;
          call.crash();
        }
        return SCRIPT.call(call);
      },
    };
    const survived = await ended((await start({ concurrency: 1, trials: 1 })).id);
    expect(survived).toMatchObject({ status: "finished", results: 3, errors: 0 });
    expect(evaluators.started).toHaveLength(1 + MOST_RESTARTS);
    evaluators.script = {
      ...SCRIPT,
      call(call) {
        call.crash();
        return { output: "" };
      },
    };
    // Also where workers wait for an item.
    const failed = await ended((await start({ concurrency: 50 })).id);
    expect(failed.status).toBe("failed");
    expect(failed.reason).toContain(`build 1 ended ${MOST_RESTARTS + 1} times. It was killed`);
    expect(failed.reason).toContain("the last line");
  });

  it("is refused where its evaluations can't be listed", async () => {
    const failed = { kind: "failed", reason: "It is full.", log: ["why"] } as const;
    evaluators.script = { ...SCRIPT, undescribed: failed };
    const broken = await send(START);
    expect([broken.status, broken.json.detail[0]]).toMatchObject([
      422,
      {
        type: "build_unusable",
        msg: "The eval files of build 1 can't be read: It is full.\nwhy",
      },
    ]);
    evaluators.script = { ...SCRIPT, undescribed: { ...failed, cause: "no-room" } };
    const full = await send(START);
    expect([full.status, full.json.detail[0]]).toMatchObject([
      409,
      { type: "no_room", msg: "It is full." },
    ]);
  });

  it("takes a concurrency up to a limit, and as many trials as a run may have", async () => {
    for (const asked of [
      { concurrency: MOST_RUN_CONCURRENCY + 1 },
      { concurrency: 0 },
      { trials: MOST_RUN_TRIALS + 1 },
    ]) {
      const { status, json } = await send(START, asked);
      expect([status, json.detail[0].loc]).toEqual([422, ["body", Object.keys(asked)[0]]]);
    }
    const asked = { concurrency: MOST_RUN_CONCURRENCY, trials: MOST_RUN_TRIALS };
    const run = await ended((await start(asked)).id);
    const results = TICKETS.testset.length * MOST_RUN_TRIALS;
    expect(run).toMatchObject({ status: "finished", results, plan: { concurrency: 1000 } });
    expect(evaluators.calls).toHaveLength(results);
  });

  it("fails where its evaluator can't be started or its cases don't fit", async () => {
    const failure = { kind: "failed", reason: "It ended with code 1.", log: ["oh no"] } as const;
    evaluators.script = { ...SCRIPT, failure: () => failure };
    const unstarted = await ended((await start()).id);
    expect([unstarted.status, unstarted.reason]).toEqual([
      "failed",
      "The evaluator process of build 1 can't be started. It ended with code 1.\noh no",
    ]);
    const fault = { path: ["inputs", "text"], msg: "Too short." };
    evaluators.script = { ...SCRIPT, check: ({ id }) => ({ id, ...fault }) };
    const unfit = await ended((await start()).id);
    expect(unfit).toMatchObject({ status: "failed", results: 0 });
    expect(unfit.reason).toContain("case refund, inputs.text: Too short.");
    expect(evaluators.calls).toEqual([]);
  });

  it("waits where the server carries out as many as it may", async () => {
    const gate = holding();
    evaluators.script = { ...SCRIPT, call: gate.call };
    const ids: string[] = [];
    for (let n = 0; n <= MOST_RUNS; n++) ids.push((await start({ concurrency: 1 })).id);
    await expect
      .poll(() => new Set(evaluators.calls.map(({ run }) => run)).size, SOON)
      .toBe(MOST_RUNS);
    gate.open();
    for (const id of ids) expect((await ended(id)).status).toBe("finished");
  });

  it("is answered again for the same request, also when the variant has moved on", async () => {
    const first = await start({ id: "nightly-1", message: "a" });
    const commit = { by: "a", message: "", params: {} };
    const { latest_revision: baseRevision } = done(
      await platform.registry.variants.get(APP, "default"),
    );
    done(await platform.registry.revisions.commit(APP, "default", { ...commit, baseRevision }));
    expect((await start({ id: "nightly-1", message: "a" })).columns).toEqual(first.columns);
    const other = await send(START, { id: "nightly-1", message: "b" });
    expect([other.status, other.json.detail[0].type]).toEqual([409, "run_conflict"]);
    await ended(first.id);
  });

  it("is refused with what to do", async () => {
    const { json: run } = await send("/registry/runs", CLIENT_RUN);
    const refusals: [NewPlatformRun, number, string, RegExp][] = [
      [{ candidate: "nope" }, 404, "candidate", /variant/],
      [{ candidate: "empty" }, 404, "candidate", /revision/],
      [{ candidate: "default@99" }, 404, "candidate", /revision/],
      [{ candidate: "env:nope" }, 404, "candidate", /environment/],
      [{ baseline: "env:development" }, 409, "baseline", /Nothing is live.*Deploy to it/],
      [{ candidate: "what:ever" }, 422, "candidate", /env:NAME or run:ID/],
      [{ candidate: "run:nope" }, 404, "candidate", /no run/],
      [{ candidate: `run:${run.id}` }, 422, "candidate", /has not ended/],
      [{ build: 99 }, 404, "build", /build/],
      [{ environment: "nope" }, 404, "environment", /environment/],
      [{ testset: "nope" }, 404, "testset", /test set/],
      [{ testset: "./cases.jsonl" }, 422, "testset", /agate testsets push/],
      [{ testset: "./empty.jsonl" }, 422, "testset", /no cases/],
      [{ testset: "a@b" }, 422, "testset", /golden@3/],
    ];
    evaluators.script = { ...SCRIPT, files: { "./empty.jsonl": "" } };
    for (const [asked, status, where, msg] of refusals) {
      const { status: found, json } = await send(START, asked);
      expect([found, json.detail?.[0].loc.at(-1)], JSON.stringify([asked, json])).toEqual([
        status,
        where,
      ]);
      expect(json.detail[0].msg).toMatch(msg);
    }
    const missing = await send(START.replace("tickets", "nope"));
    expect([missing.status, missing.json.detail[0].msg]).toEqual([
      404,
      'No evaluation "nope". Build 1 declares tickets.',
    ]);
    const { newestBuild } = evaluators;
    evaluators.newestBuild = undefined;
    const undeployed = await send(START);
    evaluators.newestBuild = newestBuild;
    expect([undeployed.status, undeployed.json.detail[0].type]).toEqual([
      409,
      "evaluations_missing",
    ]);
    expect(undeployed.json.detail[0].msg).toContain("agate deploy");
    expect((await read(run.id)).status).toBe("running");
  });
});

const LIVE = { variant: "default", revision: 1 };
const CLIENT_RUN = {
  application: "support",
  evaluation: "tickets",
  testset: { kind: "inline" },
  scorers: [],
  columns: [{ name: "candidate", ref: "default" }],
};

function row(id: string, text: string): TestRow {
  return {
    id,
    inputs: { text },
    expected: labelOf({ text }),
    metadata: {},
    tags: [],
    source: null,
  };
}

/** A route whose calls wait until they are let go on. */
function holding() {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const call: Script["call"] = async (given) => {
    reached.resolve();
    given.signal.addEventListener("abort", () => aborted.resolve());
    await opened.promise;
    return SCRIPT.call(given);
  };
  return { call, reached: reached.promise, aborted: aborted.promise, open: opened.resolve };
}
