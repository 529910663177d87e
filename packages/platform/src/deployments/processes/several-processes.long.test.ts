import { expect, it, vi } from "vitest";
import { ProcessRoom } from "./process-room.ts";
import type { SupervisedBuild } from "./process-slot.ts";
import { describeSupervision } from "./supervision-events.ts";
import type { Supervisor } from "./supervisor.ts";
import {
  ask,
  lease,
  refusal,
  saying,
  supervise,
  supervised,
} from "./testing/supervised-build.fixture.ts";

const WAITS = { timeout: 30_000, interval: 10 };
const SIGNAL = new AbortController().signal;

/** Starts all processes of a build and switches to them. */
async function deploy(supervisor: Supervisor, build: SupervisedBuild) {
  const started = await supervisor.start(build, SIGNAL);
  if (started.kind === "failed") throw new Error(started.reason);
  return { started, drain: supervisor.switchTo(build, started) };
}

it("sends every request to the process that has the fewest", async () => {
  const { supervisor, kinds } = supervise({ processes: 3 });
  const { started } = await deploy(supervisor, await supervised(1, saying("one")));
  const sockets = started.processes.map(({ socketPath }) => socketPath);
  const held = await Promise.all(Array.from({ length: 6 }, () => lease(supervisor)));
  expect(held.map(({ socketPath }) => socketPath)).toEqual([...sockets, ...sockets]);
  held[1]?.release();
  held[4]?.release();
  held[2]?.release();
  const next = await Promise.all(Array.from({ length: 3 }, () => lease(supervisor)));
  expect(next.map(({ socketPath }) => socketPath)).toEqual([sockets[1], sockets[1], sockets[2]]);
  expect(kinds()).toEqual(["serving 1", "serving 1", "serving 1"]);
});

it("goes on with the others while one is restarted", async () => {
  const { supervisor, events } = supervise({ processes: 2 });
  const { started } = await deploy(supervisor, await supervised(1, saying("one")));
  const [first, second] = started.processes;
  process.kill(first.pid, "SIGKILL");
  await first.ended;
  const during = supervisor.acquire();
  expect(during).toMatchObject({ kind: "lease", socketPath: second?.socketPath });
  await vi.waitFor(() => expect(events.at(-1)?.kind).toBe("serving"), WAITS);
  const restarted = await lease(supervisor);
  expect(started.processes.map(({ socketPath }) => socketPath)).not.toContain(restarted.socketPath);
  expect(await ask(restarted)).toBe("one");
});

it("ends the processes that have started where one of them cannot be", async () => {
  const { supervisor } = supervise({ processes: 3 });
  const build = await supervised(1, saying("one"));
  const ended: Promise<unknown>[] = [];
  let starts = 0;
  const failing: SupervisedBuild = {
    number: 1,
    async start(signal) {
      if (++starts === 3) {
        await vi.waitFor(() => expect(ended).toHaveLength(2), WAITS);
        return { kind: "failed", cause: "ended", reason: "It ended with code 1.", log: [] };
      }
      const started = await build.start(signal);
      if (started.kind === "running") ended.push(started.ended);
      return started;
    },
  };
  expect(await supervisor.start(failing, SIGNAL)).toMatchObject({
    reason: "It ended with code 1.",
  });
  await Promise.all(ended);
});

it("has room for so many processes and no more, which is free again when a build ends", async () => {
  const room = new ProcessRoom(4);
  const [one, two] = [supervise({ processes: 2 }, room), supervise({ processes: 3 }, room)];
  const build = await supervised(1, saying("one"));
  await deploy(one.supervisor, build);
  expect(await two.supervisor.start(build, SIGNAL)).toMatchObject({
    kind: "failed",
    cause: "no-room",
    reason:
      "There is no room for 3 more processes: this server runs 2 of at most 4. Stop a build that is not needed, or start the server with a larger --max-processes.",
  });
  // Its place is its own: a new build of it needs no further one.
  await (await deploy(one.supervisor, build)).drain.ended;

  two.supervisor.startLater(build);
  expect(two.supervisor.isStarting).toBe(true);
  two.supervisor.wake();
  expect(two.supervisor.isStarting).toBe(false);
  const { reason } = await refusal(two.supervisor);
  expect(reason).toMatch(/^Build 1 of support could not be started\. There is no room for 3/);
  expect(two.events.map(describeSupervision)).toEqual([
    expect.stringMatching(/^Not started\. There is no room for 3 more processes/),
  ]);
  await one.supervisor.close({ drainMs: 0, stopMs: 5_000 });
  expect(await ask(await lease(two.supervisor))).toBe("one");
});

it("gives back the room of a build that is not switched to", async () => {
  const room = new ProcessRoom(1);
  const { supervisor } = supervise({}, room);
  const started = await supervisor.start(await supervised(1, saying("one")), SIGNAL);
  if (started.kind === "failed") throw new Error(started.reason);
  expect(room.claim(1)).toBeUndefined();
  await started.stop(0);
  await started.stop(0);
  expect(room.claim(1)).toBeDefined();
  expect(room.claim(1)).toBeUndefined();
});
