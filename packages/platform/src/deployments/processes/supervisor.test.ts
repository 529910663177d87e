import { expect, it, vi } from "vitest";
import type { SupervisionEvent } from "./supervision-events.ts";
import { describeSupervision } from "./supervision-events.ts";
import { workflowSource } from "./testing/build-program.fixture.ts";
import {
  ask,
  lease,
  refusal,
  running,
  saying,
  supervise,
  supervised,
} from "./testing/supervised-build.fixture.ts";

const WAITS = { timeout: 60_000, interval: 10 };

it("hands out leases at once, and of the new process from the moment of a switch", async () => {
  const { supervisor, kinds } = supervise();
  const [first, second] = [await supervised(1, saying("one")), await supervised(2, saying("two"))];
  await supervisor.switchTo(first, await running(first)).ended;
  const early = supervisor.acquire();
  if (!("kind" in early) || early.kind !== "lease") throw new Error("It had to wait.");

  const drained = supervisor.switchTo(second, await running(second)).ended;
  expect(supervisor.build).toBe(2);
  const late = await lease(supervisor);
  expect([await ask(early), await ask(late)]).toEqual(["one", "two"]);
  expect(kinds()).toEqual(["serving 1", "serving 2", "draining 1"]);

  early.release();
  early.release();
  expect(await drained).toBe(0);
  expect(await ask(late)).toBe("two");
  expect(kinds().at(-1)).toBe("stopped 1");
});

it("ends a replaced process whose requests take too long, and says how many were broken off", async () => {
  const { supervisor, events } = supervise({ drainMs: 50, stopMs: 50 });
  const build = await supervised(1, saying("one"));
  const process = await running(build);
  await supervisor.switchTo(build, process).ended;
  await lease(supervisor);
  const next = await running(build);
  expect(await supervisor.switchTo({ ...build, number: 2 }, next).ended).toBe(1);
  await process.ended;
  expect(events.map(describeSupervision).at(-1)).toBe(
    "Stopped; 1 request cut off after the drain time.",
  );
});

it("starts a crashed build again; who asks meanwhile waits for it", async () => {
  const { supervisor, events } = supervise();
  const build = await supervised(3, saying("here"));
  const process = await running(build);
  await supervisor.switchTo(build, process).ended;
  globalThis.process.kill(process.pid, "SIGKILL");
  await process.ended;
  const held = await Promise.all(Array.from({ length: 20 }, () => lease(supervisor)));
  expect(new Set(await Promise.all(held.map(ask)))).toEqual(new Set(["here"]));
  const lastExit = "It was killed by SIGKILL.";
  expect(supervisor.status).toMatchObject({ processes: 1, restarts: 1, lastExit });
  expect(events).toMatchObject([
    { kind: "serving", build: 3 },
    { kind: "crashed", build: 3, reason: "It was killed by SIGKILL.", inMs: 0 },
    { kind: "serving", build: 3 },
  ]);
});

it("restarts a build that no longer listens, when a request finds it unreachable", async () => {
  const { supervisor, events } = supervise();
  const build = await supervised(1, workflowSource("response.end(); server.close();"));
  await supervisor.switchTo(build, await running(build)).ended;
  const held = await lease(supervisor);
  await ask(held);
  held.release("unreachable");
  expect(supervisor.acquire()).toBeInstanceOf(Promise);
  await ask(await lease(supervisor));
  expect(events[1]).toMatchObject({ kind: "crashed", reason: "It stopped listening." });
});

it("waits longer after every crash, and tells those who ask when to come back", async () => {
  const { supervisor, events } = supervise({ waitMs: 0 });
  const build = await supervised(2, `throw new Error("no model");`);
  supervisor.startLater(build);
  expect(events).toEqual([]);
  await supervisor.acquire();
  await vi.waitFor(() => expect(events.length).toBeGreaterThanOrEqual(4), WAITS);
  const delays = events.map((event) => (event.kind === "start-failed" ? event.inMs : Number.NaN));
  expect(delays[0]).toBe(0);
  for (const [n, longest] of [250, 500, 1000].entries()) {
    expect(delays[n + 1]).toBeGreaterThanOrEqual(longest / 2);
    expect(delays[n + 1]).toBeLessThanOrEqual(longest);
  }
  // The last second of any pause: the next attempt may have begun meanwhile.
  await vi.waitFor(async () => {
    expect(await refusal(supervisor)).toEqual({
      kind: "unavailable",
      reason: "Build 2 of support could not be started and restarts in 1 s.",
      retryAfterSeconds: 1,
    });
  }, WAITS);
  expect(supervisor.status).toEqual({
    processes: 0,
    memoryBytes: null,
    restarts: events.length,
    lastExit: "It ended with code 1 before it answered.",
  });
  expect(describeSupervision(events[0] as SupervisionEvent)).toBe(
    "Could not be started. It ended with code 1 before it answered. Retrying at once.",
  );
});

it("counts a crash after a good while as the first", async () => {
  const { supervisor, events } = supervise({ stableMs: 0 });
  const build = await supervised(1, saying("here"));
  await supervisor.switchTo(build, await running(build)).ended;
  for (let crash = 1; crash <= 3; crash++) {
    await vi.waitFor(() => {
      const last = events.at(-1);
      if (last?.kind !== "serving" || events.length !== 2 * crash - 1) throw new Error("not yet");
      process.kill(last.pid, "SIGKILL");
    }, WAITS);
    await vi.waitFor(() => expect(events.length).toBe(2 * crash + 1), WAITS);
  }
  expect(events.flatMap((event) => (event.kind === "crashed" ? [event.inMs] : []))).toEqual([
    0, 0, 0,
  ]);
});

it("starts a sleeping build once, on the first request, and ends the previous one", async () => {
  const { supervisor, kinds } = supervise();
  const before = await supervised(3, saying("before"));
  const process = await running(before);
  await supervisor.switchTo(before, process).ended;
  supervisor.startLater(await supervised(4, saying("awake")));
  await process.ended;
  expect(supervisor.build).toBe(4);
  const held = await Promise.all([lease(supervisor), lease(supervisor)]);
  supervisor.wake();
  expect(await ask(held[0])).toBe("awake");
  expect(kinds()).toEqual(["serving 3", "draining 3", "stopped 3", "serving 4"]);
});

it("calls a start off when another build takes over", async () => {
  const { supervisor, kinds } = supervise();
  const started = Promise.withResolvers<AbortSignal>();
  supervisor.startLater({
    number: 1,
    start: (signal) => {
      started.resolve(signal);
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    },
  });
  const waiting = lease(supervisor);
  const signal = await started.promise;
  const build = await supervised(2, saying("two"));
  await supervisor.switchTo(build, await running(build)).ended;
  expect(signal.aborted).toBe(true);
  expect(await ask(await waiting)).toBe("two");
  expect(kinds()).toEqual(["serving 2"]);
});

it("ends every process when it is closed, and turns away who waits and who comes later", async () => {
  const { supervisor, kinds } = supervise();
  const [first, second] = [await supervised(1, saying("one")), await supervised(2, saying("two"))];
  const processes = [await running(first), await running(second)] as const;
  await supervisor.switchTo(first, processes[0]).ended;
  await lease(supervisor);
  const drained = supervisor.switchTo(second, processes[1]).ended;
  await supervisor.close({ drainMs: 0, stopMs: 5_000 });
  expect(await drained).toBe(1);
  await Promise.all(processes.map(({ ended }) => ended));
  expect(kinds().toSorted()).toEqual([
    "draining 1",
    "serving 1",
    "serving 2",
    "stopped 1",
    "stopped 2",
  ]);
  expect((await refusal(supervisor)).reason).toBe("No build of support is running.");
  const tooLate = await running(second);
  await supervisor.switchTo(second, tooLate).ended;
  await tooLate.ended;
});
