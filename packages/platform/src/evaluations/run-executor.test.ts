import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NewPlatformRun, Run } from "@agate/protocol";
import type { DeclaredEvaluation } from "@agate/protocol/evaluator";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { openRegistry } from "../registry/open-registry.ts";
import type { Registry } from "../registry/registry.ts";
import { newBuild } from "../registry/testing/go-live.fixture.ts";
import { openRegistryDatabase } from "../stores/registry/open-registry-database.ts";
import type { SpanStore } from "../stores/span-store.ts";
import { loadSecretKeys } from "../variables/load-secret-keys.ts";
import type { EvaluatedBuild } from "./evaluators.ts";
import { POSTPONED_MS, RunExecutor } from "./run-executor.ts";
import {
  type Script,
  type ScriptedCall,
  ScriptedEvaluators,
} from "./testing/scripted-evaluators.fixture.ts";

// Executors over one registry, each as a server of its own has it. Its clock stands still, so that no
// lease expires unless a test says so.

const APP = { project: "default", application: "support" };
const SOON = { timeout: 60_000, interval: 5 };
const CASES = 20;
const COST = 0.25;

const TICKETS: DeclaredEvaluation = {
  name: "tickets",
  application: "support",
  route: "/answer",
  testset: Array.from({ length: CASES }, (_, n) => ({ id: `case-${n}`, inputs: { n } })),
  trials: 1,
  concurrency: 4,
  gate: {},
  scorers: [{ name: "right", version: "v1", kind: "code" }],
};
const SCRIPT: Script = {
  evaluations: [TICKETS],
  call: () => ({ output: "billing", cost: COST }),
  score: () => ({ scores: { right: { status: "ok", value: 1 } }, cost: 0 }),
};
const NO_ROOM = { kind: "failed", cause: "no-room", reason: "There is no room.", log: [] } as const;

const directory = mkdtempSync(join(tmpdir(), "agate-executor-"));
let time = Date.UTC(2026, 5, 1);
let registry: Registry;
let build: EvaluatedBuild;
const servers: Server[] = [];

beforeAll(async () => {
  const database = await openRegistryDatabase({ kind: "sqlite", directory });
  const secretKeys = loadSecretKeys({
    environment: {},
    dataDirectory: directory,
    isEmbedded: true,
  });
  registry = await openRegistry(database, { secretKeys, now: () => new Date(time) });
  const { id, slug } = done(await registry.applications.create("default", "support"));
  await registry.variants.create(APP, "default");
  const commit = { by: "a", message: "", params: {}, baseRevision: 0 };
  done(await registry.revisions.commit(APP, "default", commit));
  const { id: buildId, number } = done(await registry.builds.begin(APP, newBuild()));
  build = { project: "default", application: { id, slug }, build: { id: buildId, number } };
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});
afterAll(async () => {
  await registry.close();
  await rm(directory, { recursive: true });
});

interface Server {
  readonly executor: RunExecutor;
  readonly evaluators: ScriptedEvaluators;
  readonly warnings: string[];
  /** How often it has looked for runs. */
  looks(): number;
  close(): Promise<void>;
}

/** Where the server's calls have no traces. */
const NO_TRACES: Pick<SpanStore, "putScores"> = {
  putScores: () => Promise.reject(new Error("These calls have no traces.")),
};

/** @param script What the code does in the processes of this server. */
function startServer(script: Partial<Script> = {}, store = NO_TRACES): Server {
  const evaluators = new ScriptedEvaluators({ ...SCRIPT, ...script });
  evaluators.newestBuild = build;
  const warnings: string[] = [];
  let looks = 0;
  const runs: Registry["runs"] = {
    ...registry.runs,
    toCarryOut: () => {
      looks += 1;
      return registry.runs.toCarryOut();
    },
  };
  const executor = new RunExecutor({
    registry: { ...registry, runs },
    evaluators,
    store,
    redactionOf: () => null,
    now: () => time,
    log: { warn: (...[, text]: unknown[]) => warnings.push(String(text)), error: expect.fail },
    everyMs: 2,
  });
  executor.start();
  const server = {
    executor,
    evaluators,
    warnings,
    looks: () => looks,
    async close() {
      await executor.close();
      evaluators.dispose();
    },
  };
  servers.push(server);
  return server;
}

function done<Value>(outcome: { kind: "done"; value: Value } | { kind: "refused" }): Value {
  if (outcome.kind === "refused") throw new Error(JSON.stringify(outcome));
  return outcome.value;
}

async function start({ executor }: Server, asked: NewPlatformRun = {}): Promise<Run> {
  return done(await executor.startRun(APP, "tickets", asked, "tests"));
}

async function read(id: string): Promise<Run> {
  return done(await registry.runs.get({ project: "default", run: id }));
}

async function ended(id: string): Promise<Run> {
  await expect.poll(async () => (await read(id)).status, SOON).not.toBe("running");
  return read(id);
}

/** Calls that wait until they are let go on, or their server breaks them off. */
function holding() {
  const held: ScriptedCall[] = [];
  const waiting: (() => void)[] = [];
  let isOpen = false;
  const call: Script["call"] = async (given) => {
    if (!isOpen) {
      held.push(given);
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    return SCRIPT.call(given);
  };
  const letGo = (count: number) => {
    for (const resolve of waiting.splice(0, count)) resolve();
  };
  const open = () => {
    isOpen = true;
    letGo(waiting.length);
  };
  return { call, held, letGo, open };
}

it("gives its items back when it shuts down: another server goes on at once", async () => {
  const gate = holding();
  const first = startServer({ call: gate.call });
  const { id } = await start(first, { concurrency: 3 });
  await expect.poll(() => gate.held.length, SOON).toBe(3);
  const second = startServer();
  await first.close();
  expect(await ended(id)).toMatchObject({ status: "finished", results: CASES, errors: 0 });
  expect(gate.held.map(({ signal }) => signal.aborted)).toEqual([true, true, true]);
  const called = second.evaluators.calls.map((call) => call.case);
  expect([called.length, new Set(called).size]).toEqual([CASES, CASES]);
  gate.open();
});

it("ends a run when its scores are in their traces, and not before", async () => {
  const answers: (() => void)[] = [];
  let isOpen = false;
  let written = 0;
  const putScores: SpanStore["putScores"] = async ({ scores }) => {
    if (!isOpen) await new Promise<void>((resolve) => answers.push(resolve));
    written += scores.length;
    return { kind: "committed" };
  };
  const call: Script["call"] = () => ({ output: "", trace: "0af7651916cd43dd8448eb211c80319c" });
  const server = startServer({ call }, { putScores });
  const concurrency = 4;
  const { id } = await start(server, { concurrency });
  await expect.poll(() => answers.length, SOON).toBe(1);
  // The results of a second batch wait with the run: it does not get further ahead of its scores.
  await expect.poll(() => server.evaluators.calls.length, SOON).toBeGreaterThan(concurrency);
  const looks = server.looks();
  await expect.poll(() => server.looks(), SOON).toBeGreaterThan(looks + 5);
  const run = await read(id);
  expect([run.status, written]).toEqual(["running", 0]);
  expect(run.results).toBeLessThanOrEqual(2 * concurrency);
  isOpen = true;
  for (const answer of answers) answer();
  expect(await ended(id)).toMatchObject({ status: "finished", results: CASES });
  expect(written).toBe(CASES);
});

it("breaks off the calls of a run that was stopped on another server", async () => {
  const gate = holding();
  const first = startServer({ call: gate.call });
  const { id } = await start(first, { concurrency: 2 });
  await expect.poll(() => gate.held.length, SOON).toBe(2);
  const ref = { project: "default", run: id };
  done(await registry.runs.end(ref, { status: "stopped", reason: "enough" }));
  const second = startServer();
  second.executor.notice(ref);
  await expect.poll(() => gate.held.every(({ signal }) => signal.aborted), SOON).toBe(true);
  gate.open();
  await first.close();
  expect(await read(id)).toMatchObject({ status: "stopped", reason: "enough", results: 0 });
  expect([first, second].map(({ evaluators }) => evaluators.calls.length)).toEqual([2, 0]);
});

it("stops at a cost ceiling that several servers reach together", async () => {
  const [one, other] = [holding(), holding()];
  const first = startServer({ call: one.call });
  const concurrency = 4;
  const { id } = await start(first, { concurrency, max_cost: 8 * COST });
  await expect.poll(() => one.held.length, SOON).toBe(concurrency);
  const second = startServer({ call: other.call });
  await expect.poll(() => second.evaluators.started.length, SOON).toBe(1);
  // The first one gives up what is more than its share.
  one.letGo(2);
  await expect.poll(() => other.held.length, SOON).toBe(2);
  for (const { open } of [one, other]) open();
  const run = await ended(id);
  expect(run).toMatchObject({ status: "stopped", reason: "The cost ceiling was reached." });
  expect(run.results).toBeGreaterThanOrEqual(8);
  expect(run.results).toBeLessThan(8 + concurrency);
  const calls = first.evaluators.calls.length + second.evaluators.calls.length;
  expect([run.results, run.costs.calls]).toEqual([calls, calls * COST]);
});

it("leaves a run that it has no room for to another server", async () => {
  const full = startServer({ failure: () => NO_ROOM });
  const { id } = await start(full);
  await expect.poll(() => full.warnings, SOON).toHaveLength(1);
  expect(await read(id)).toMatchObject({ status: "running", results: 0 });
  const other = startServer();
  expect(await ended(id)).toMatchObject({ status: "finished", results: CASES });
  expect(other.evaluators.calls).toHaveLength(CASES);
});

it("tries a run again later that it had no room for", async () => {
  let attempts = 0;
  let isFull = true;
  const failure = () => {
    attempts += 1;
    return isFull ? NO_ROOM : undefined;
  };
  const server = startServer({ failure });
  const { id } = await start(server);
  await expect.poll(() => server.warnings, SOON).toHaveLength(1);
  const looksAgain = async () => {
    const before = server.looks();
    await expect.poll(() => server.looks(), SOON).toBeGreaterThan(before + 2);
  };
  time += POSTPONED_MS - 1;
  await looksAgain();
  expect(attempts).toBe(1);
  time += 1;
  await expect.poll(() => attempts, SOON).toBe(2);
  isFull = false;
  await looksAgain();
  expect([attempts, (await read(id)).status]).toEqual([2, "running"]);
  time += POSTPONED_MS;
  expect(await ended(id)).toMatchObject({ status: "finished", results: CASES });
  // Not with every attempt.
  expect(server.warnings).toHaveLength(1);
});

it("leaves a run to others where there is no room for a process that crashed", async () => {
  let started = 0;
  const crashing = startServer({
    failure: () => (started++ === 0 ? undefined : NO_ROOM),
    call: (call) => {
      call.crash();
      return { output: "" };
    },
  });
  const { id } = await start(crashing);
  await expect.poll(() => crashing.warnings, SOON).toHaveLength(1);
  startServer();
  expect(await ended(id)).toMatchObject({ status: "finished", results: CASES, errors: 0 });
});
