import { expect, it, vi } from "vitest";
import { ProcessRoom } from "./process-room.ts";
import { describeSupervision } from "./supervision-events.ts";
import {
  ask,
  lease,
  running,
  saying,
  supervise,
  supervised,
} from "./testing/supervised-build.fixture.ts";

const WAITS = { timeout: 60_000, interval: 10 };
const SIGNAL = new AbortController().signal;

it("ends the processes of a build that is not called, and starts them with the next call", async () => {
  const room = new ProcessRoom(2);
  const { supervisor, events, kinds } = supervise({ processes: 2, sleepMs: () => 300 }, room);
  const build = await supervised(1, saying("one"));
  const started = await supervisor.start(build, SIGNAL);
  if (started.kind === "failed") throw new Error(started.reason);
  supervisor.switchTo(build, started);
  await Promise.all(started.processes.map(({ ended }) => ended));
  await vi.waitFor(() => expect(kinds().at(-1)).toBe("stopped 1"), WAITS);
  expect(kinds()).toEqual(["serving 1", "serving 1", "asleep 1", "stopped 1"]);
  expect(events.map(describeSupervision)[2]).toMatch(/^Sleeping, after 0 min without a call\./);
  expect(supervisor.build).toBe(1);
  expect(supervisor.isStarting).toBe(false);
  // Its room is for others meanwhile.
  room.claim(2)?.release();
  expect(await ask(await lease(supervisor))).toBe("one");
});

it("does not sleep during a call, and counts from its end", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  try {
    const { supervisor, kinds } = supervise({ sleepMs: () => 900_000, watch: null });
    const process = Promise.withResolvers<never>();
    supervisor.switchTo(
      { number: 1, start: () => Promise.reject(new Error("not here")) },
      {
        kind: "running",
        pid: 1,
        socketPath: "/nowhere",
        openapi: null,
        ended: process.promise,
        stop: async () => {},
      },
    );
    vi.advanceTimersByTime(899_999);
    const held = await lease(supervisor);
    vi.advanceTimersByTime(2_000_000);
    expect(kinds()).toEqual(["serving 1"]);
    held.release();
    vi.advanceTimersByTime(899_999);
    expect(kinds()).toEqual(["serving 1"]);
    vi.advanceTimersByTime(900_000);
    expect(kinds()).toEqual(["serving 1", "asleep 1"]);
  } finally {
    vi.useRealTimers();
  }
});

it("is not started with the platform, but by the first call", async () => {
  const { supervisor, kinds } = supervise({ sleepMs: () => 3_600_000 });
  const build = await supervised(4, saying("awake"));
  const start = vi.fn(build.start);
  supervisor.startLater({ ...build, start });
  supervisor.wake();
  expect(supervisor.isStarting).toBe(false);
  expect(start).not.toHaveBeenCalled();
  expect(await ask(await lease(supervisor))).toBe("awake");
  expect(kinds()).toEqual(["serving 4"]);
});

it("never sleeps where it is to be always on", async () => {
  const { supervisor } = supervise({ sleepMs: () => null });
  const build = await supervised(1, saying("one"));
  const timer = vi.spyOn(globalThis, "setTimeout");
  const process = await running(build);
  const before = timer.mock.calls.length;
  supervisor.switchTo(build, process);
  expect(timer.mock.calls.length).toBe(before);
});
