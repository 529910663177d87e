import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { expect, it, onTestFinished } from "vitest";
import type { SupervisionEvent } from "../processes/supervision-events.ts";
import { workflowSource } from "../processes/testing/build-program.fixture.ts";
import { running, supervise, supervised } from "../processes/testing/supervised-build.fixture.ts";
import { serveGateway } from "./testing/gateway-server.fixture.ts";
import { sendRequest } from "./testing/send-request.fixture.ts";

// The limits of a server, none of them shortened: a check every 5 s, killed after 60 s.

/** How long the answers are that go on while the process computes. */
const CHUNKS = 120;

const HANDLE = `
  const [, path, ms] = request.url.split("/");
  const compute = (until) => { while (performance.now() < until); };
  if (path === "compute") compute(performance.now() + Number(ms));
  if (path === "wait") await new Promise((resolve) => setTimeout(resolve, Number(ms)));
  if (path === "stream") {
    for (let n = 0; n < ${CHUNKS}; n++) {
      response.write(n + " ");
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
  response.end(String(process.pid));
`;

/** One process behind the gateway. */
async function serve() {
  const { supervisor, events, kinds } = supervise();
  const build = await supervised(1, workflowSource(HANDLE));
  const deploy = async () => {
    const child = await running(build);
    return { child, drain: supervisor.switchTo(build, child) };
  };
  const { child } = await deploy();
  const { port, problems } = await serveGateway(supervisor);
  const call = async (path: string) => {
    const { status, body } = await sendRequest({ options: { port, path } });
    return { status, text: body.toString("latin1") };
  };
  return { supervisor, events, kinds, child, problems, call, deploy };
}

/** Calls twice a second until it is told to stop. @returns what came of the calls, and which process answered. */
function callAllTheTime(call: (path: string) => Promise<{ status: number; text: string }>) {
  const began = performance.now();
  const calls: Promise<{ sentMs: number; answeredMs: number; status: number; text: string }>[] = [];
  const send = async () => {
    const sentMs = performance.now() - began;
    const answer = await call("/");
    return { ...answer, sentMs, answeredMs: performance.now() - began };
  };
  const timer = setInterval(() => calls.push(send()), 500);
  return () => {
    clearInterval(timer);
    return Promise.all(calls);
  };
}

const seconds = (ms: number) => Number((ms / 1000).toFixed(1));

it("loses nothing while a process computes for 20 s beside 20 streams", async () => {
  const { kinds, child, problems, call } = await serve();
  const streams = Array.from({ length: 20 }, () => call("/stream"));
  const stopCalls = callAllTheTime(call);
  const computed = await call("/compute/20000");
  expect(computed).toEqual({ status: 200, text: String(child.pid) });
  const expected = `${Array.from({ length: CHUNKS }, (_, n) => n).join(" ")} ${child.pid}`;
  for (const { status, text } of await Promise.all(streams)) {
    expect([status, text]).toEqual([200, expected]);
  }
  const answers = await stopCalls();
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(problems).toEqual([]);
  // What was sent to the computing process waited for it, and the others did not.
  const byOther = answers.filter(({ text }) => text !== String(child.pid));
  process.stdout.write(
    `20 s of computing: the first call that another process answered took until ${seconds(byOther[0]?.answeredMs ?? Number.NaN)} s.\n`,
  );
  await expect.poll(kinds).toEqual(["serving 1", "replacing 1", "serving 1", "stopped 1"]);
}, 300_000);

it("replaces a process that is blocked for good, and kills it", async () => {
  const { events, child, problems, call } = await serve();
  const blocked = call("/compute/1000000000");
  const stopCalls = callAllTheTime(call);
  await child.ended;
  const answers = await stopCalls();
  expect(await blocked).toMatchObject({ status: 502 });
  expect(problems).toHaveLength(1);
  // Also those that waited at the blocked process: it has not read them, so another one answers.
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(answers.map(({ text }) => text)).not.toContain(String(child.pid));
  const first = answers.toSorted((one, other) => one.answeredMs - other.answeredMs)[0];
  const killed = events.find(({ kind }) => kind === "killed");
  expect(killed).toMatchObject({ pid: child.pid, reason: expect.stringContaining("/health") });
  process.stdout.write(
    `Blocked for good: new calls were answered after ${seconds(first?.answeredMs ?? 0)} s.\n`,
  );
}, 300_000);

it("replaces nothing because all processors are busy", async () => {
  const { events, problems, call } = await serve();
  const busy = Array.from({ length: 2 * availableParallelism() }, () =>
    spawn(process.execPath, ["-e", "console.log(1); for (;;);"]),
  );
  onTestFinished(() => {
    for (const each of busy) each.kill("SIGKILL");
  });
  await Promise.all(busy.map((each) => once(each.stdout, "data")));
  const stopCalls = callAllTheTime(call);
  // Work of a workflow's own, which takes longer when others compute, too.
  for (let n = 0; n < 120; n++) expect((await call("/compute/500")).status).toBe(200);
  expect(new Set((await stopCalls()).map(({ status }) => status))).toEqual(new Set([200]));
  expect(problems).toEqual([]);
  expect(events.map(({ kind }: SupervisionEvent) => kind)).toEqual(["serving"]);
}, 600_000);

it("finishes a call of nine minutes though its build is replaced twice", async () => {
  const { child, problems, call, deploy } = await serve();
  const long = call(`/wait/${9 * 60_000}`);
  await expect.poll(async () => (await call("/")).text).toBe(String(child.pid));
  const { drain } = await deploy();
  expect(drain.requests).toBe(1);
  await deploy();
  expect(await long).toEqual({ status: 200, text: String(child.pid) });
  expect(await drain.ended).toBe(0);
  expect(problems).toEqual([]);
}, 700_000);
