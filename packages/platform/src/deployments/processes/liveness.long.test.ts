import { access, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import type { SupervisedBuild } from "./process-slot.ts";
import type { WatchLimits } from "./process-watch.ts";
import { askSocket, type BuildProcess, startBuildProcess } from "./start-build-process.ts";
import type { SupervisionEvent } from "./supervision-events.ts";
import { describeSupervision } from "./supervision-events.ts";
import type { Supervisor } from "./supervisor.ts";
import { buildProgram, processGroups, workflowSource } from "./testing/build-program.fixture.ts";
import {
  lease,
  running,
  supervise,
  supervisedProgram,
} from "./testing/supervised-build.fixture.ts";

const WAITS = { timeout: 60_000, interval: 10 };
const MB = 1024 ** 2;

/** Patience that a process on a busy machine does not exhaust twice in a row unless it is blocked. */
const WATCH: WatchLimits = {
  everyMs: 50,
  patienceMs: 500,
  blockedMs: 600_000,
  memoryBytes: null,
};

/**
 * `/block/NAME` holds the event loop until the file NAME is in the folder, without the CPU that others need; `/grow/BYTES` makes the process that
 * large. Every answer is the process's id.
 */
const SOURCE = workflowSource(
  `
    const [, path, name] = request.url.split("/");
    if (path === "block") while (!existsSync(name)) Atomics.wait(never, 0, 0, 10);
    if (path === "grow") globalThis.kept = Buffer.alloc(Number(name) - process.memoryUsage.rss(), 1);
    response.end(String(process.pid));
  `,
  `import { existsSync } from "node:fs";
   const never = new Int32Array(new SharedArrayBuffer(4));`,
);

/** A supervisor with one process, and what it told. */
async function superviseOne(watch: Partial<WatchLimits> = {}) {
  const { supervisor, events } = supervise({ watch: { ...WATCH, ...watch } });
  const { program, ...workflow } = await supervisedProgram(1, SOURCE);
  const build = { ...workflow, start: vi.fn(workflow.start) };
  const process = await running(workflow);
  await supervisor.switchTo(build, process).ended;
  const seen = (kind: SupervisionEvent["kind"]) =>
    vi.waitFor(() => {
      const event = events.find((each) => each.kind === kind);
      if (event === undefined) throw new Error(`Only ${events.map((each) => each.kind)}.`);
      return event;
    }, WAITS);
  return {
    supervisor,
    events,
    build,
    process,
    seen,
    kinds: () => events.map(({ kind }) => kind),
    unblock: (name: string) => writeFile(join(program.folder, name), ""),
  };
}

/** Calls as the gateway does, and returns the answer. */
async function call(supervisor: Supervisor, path = "/"): Promise<number> {
  const held = await lease(supervisor);
  try {
    const options = { signal: AbortSignal.timeout(60_000), mostBytes: 1_000 };
    return Number((await askSocket(held.socketPath, path, options)).body);
  } finally {
    held.release();
  }
}

/** Resolves when the process does not answer. */
async function isBlocked({ socketPath }: BuildProcess): Promise<void> {
  await vi.waitFor(async () => {
    const options = { signal: AbortSignal.timeout(100), mostBytes: 1_000 };
    await expect(askSocket(socketPath, "/health", options)).rejects.toThrow();
  }, WAITS);
}

it("starts another process for new calls when one is blocked, which may finish its own", async () => {
  const { supervisor, process, seen, events, kinds, unblock } = await superviseOne();
  const computing = call(supervisor, "/block/first");
  await seen("replacing");
  await vi.waitFor(() => expect(kinds()).toEqual(["serving", "replacing", "serving"]), WAITS);
  expect(await call(supervisor)).not.toBe(process.pid);
  await unblock("first");
  expect(await computing).toBe(process.pid);
  expect(await process.ended).toMatchObject({ code: 0 });
  expect(await seen("stopped")).toMatchObject({ cutOff: 0 });
  expect(events.slice(1, 2).map(describeSupervision)).toEqual([
    `Starting another process for new requests: process ${process.pid} has missed 2 health checks in a row.`,
  ]);
}, 120_000);

it("kills a process that stays blocked, while another one serves", async () => {
  const { supervisor, process, seen, events, kinds } = await superviseOne({ blockedMs: 2_500 });
  const computing = call(supervisor, "/block/forever").catch((error) => String(error));
  await seen("replacing");
  expect(await process.ended).toMatchObject({ reason: "It was killed by SIGKILL." });
  expect(await computing).toContain("socket hang up");
  expect(await call(supervisor)).not.toBe(process.pid);
  await seen("stopped");
  const told = new Set(kinds());
  // Where starting takes longer than 2.5 s, the killed process has not been replaced yet.
  if (!told.has("crashed")) {
    expect(kinds()).toEqual(["serving", "replacing", "serving", "killed", "stopped"]);
    expect(describeSupervision(events[3] as SupervisionEvent)).toMatch(
      `Killed process ${process.pid}: it did not answer GET /health for `,
    );
  }
}, 120_000);

it("keeps a process that answers again before another one has started", async () => {
  const { supervisor, process, build, seen, kinds, unblock } = await superviseOne();
  const begun = Promise.withResolvers<AbortSignal>();
  build.start.mockImplementation((signal) => {
    begun.resolve(signal);
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  });
  const computing = call(supervisor, "/block/first");
  const signal = await begun.promise;
  await unblock("first");
  expect(await computing).toBe(process.pid);
  await seen("recovered");
  expect(signal.aborted).toBe(true);
  expect(await call(supervisor)).toBe(process.pid);
  expect(kinds()).toEqual(["serving", "replacing", "recovered"]);
}, 120_000);

it("keeps a blocked process that cannot be replaced, and tries again", async () => {
  const { supervisor, process, build, kinds, unblock } = await superviseOne();
  const start = build.start.getMockImplementation() as SupervisedBuild["start"];
  build.start.mockImplementationOnce(async () => ({
    kind: "failed",
    cause: "ended",
    reason: "It ended with code 1 before it answered.",
    log: [],
  }));
  const computing = call(supervisor, "/block/first");
  await vi.waitFor(() => expect(build.start).toHaveBeenCalledTimes(2), WAITS);
  expect(build.start.getMockImplementation()).toBe(start);
  await vi.waitFor(() => expect(kinds()).toHaveLength(5), WAITS);
  expect(kinds()).toEqual(["serving", "replacing", "replacement-failed", "replacing", "serving"]);
  expect(await call(supervisor)).not.toBe(process.pid);
  await unblock("first");
  expect(await computing).toBe(process.pid);
}, 120_000);

it("never has two blocked processes at once: the second is replaced when the first is over", async () => {
  const { supervisor, process, build, seen, kinds, unblock } = await superviseOne();
  const first = call(supervisor, "/block/first");
  await vi.waitFor(() => expect(kinds()).toEqual(["serving", "replacing", "serving"]), WAITS);
  const held = await lease(supervisor);
  held.release();
  const second = call(supervisor, "/block/second");
  await isBlocked({ ...process, socketPath: held.socketPath });
  // Not a matter of time: it could not be replaced before `first` answers.
  expect(build.start).toHaveBeenCalledTimes(1);
  await unblock("first");
  expect(await first).toBe(process.pid);
  await vi.waitFor(() => expect(build.start).toHaveBeenCalledTimes(2), WAITS);
  await seen("stopped");
  expect(kinds().slice(0, 5)).toEqual(["serving", "replacing", "serving", "stopped", "replacing"]);
  await unblock("second");
  expect(await second).not.toBe(process.pid);
}, 120_000);

/** Filling so much memory takes a while, which is not to count as a missed check. */
const OF_MEMORY = { memoryBytes: 400 * MB, patienceMs: 60_000 };

const ofLinux = it.skipIf(process.platform !== "linux");

ofLinux(
  "replaces a process beyond its memory limit, after its calls",
  async () => {
    const { supervisor, process, seen, kinds } = await superviseOne(OF_MEMORY);
    const held = await lease(supervisor);
    await call(supervisor, `/grow/${450 * MB}`);
    expect(await seen("replacing")).toMatchObject({
      reason: expect.stringMatching(/^uses \d+ MB of memory, more than its limit of 400 MB$/),
    });
    await vi.waitFor(() => expect(kinds()).toEqual(["serving", "replacing", "serving"]), WAITS);
    expect(await call(supervisor)).not.toBe(process.pid);
    held.release();
    expect(await process.ended).toMatchObject({ code: 0 });
  },
  120_000,
);

ofLinux(
  "kills a process beyond 1.25 times its memory limit",
  async () => {
    const { supervisor, process, seen } = await superviseOne(OF_MEMORY);
    await call(supervisor, `/grow/${600 * MB}`);
    expect(await seen("crashed")).toMatchObject({
      reason: expect.stringMatching(/^It uses \d+ MB of memory, more than 1\.25 times its limit/),
    });
    expect(await process.ended).toMatchObject({ reason: "It was killed by SIGKILL." });
    expect(await call(supervisor)).not.toBe(process.pid);
  },
  120_000,
);

it.runIf(process.platform === "linux")(
  "tells the memory of its processes, as of their last checks",
  async () => {
    const { supervisor } = await superviseOne();
    expect(supervisor.status.memoryBytes).toBeNull();
    await call(supervisor, `/grow/${200 * MB}`);
    await vi.waitFor(() => expect(supervisor.status.memoryBytes).toBeGreaterThan(150 * MB), WAITS);
    expect(supervisor.status.memoryBytes).toBeLessThan(400 * MB);
  },
);

it("uses a program that became ready while the server was suspended for longer than its time", async () => {
  const wait = `
    import { existsSync, writeFileSync } from "node:fs";
    writeFileSync("begun", "");
    while (!existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 10));`;
  const program = await buildProgram(workflowSource("response.end();", wait));
  const timeoutMs = 10_000;
  const started = startBuildProcess(program, { onLine() {}, timeoutMs, groups: processGroups() });
  const begun = join(program.folder, "begun");
  await vi.waitFor(() => access(begun), WAITS);
  await writeFile(join(program.folder, "go"), "");
  // The event loop stands still, as that of a server that got SIGSTOP or whose machine sleeps.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, timeoutMs + 1_000);
  const outcome = await started;
  expect(outcome).toMatchObject({ kind: "running" });
  if (outcome.kind === "running") await outcome.stop(0);
});
