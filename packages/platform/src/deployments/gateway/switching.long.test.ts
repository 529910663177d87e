import { EventEmitter, once } from "node:events";
import { Agent } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import type { SupervisedBuild } from "../processes/process-slot.ts";
import { startBuildProcess } from "../processes/start-build-process.ts";
import type { SupervisionEvent } from "../processes/supervision-events.ts";
import { Supervisor, type SupervisorLimits } from "../processes/supervisor.ts";
import {
  buildProgram,
  processGroups,
  workflowSource,
} from "../processes/testing/build-program.fixture.ts";
import { serveGateway } from "./testing/gateway-server.fixture.ts";
import { type SentRequest, sendRequest } from "./testing/send-request.fixture.ts";

const GROUPS = processGroups();

// Answers with what it got and the number of its build, in one piece or in several over some time.
const HANDLE = `
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const build = process.env.BUILD;
  if (request.url === "/endless") response.write(build);
  if (request.url === "/endless" || request.url === "/silent") return console.log(request.url);
  if (request.url !== "/stream") return response.end(build + " " + body.toString("latin1"));
  for (let n = 0; n < 10; n++) {
    response.write(build);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  response.end();
`;

async function startSupervisor(limits: Partial<SupervisorLimits> = {}) {
  const program = await buildProgram(workflowSource(HANDLE));
  const events: SupervisionEvent[] = [];
  const lines: string[] = [];
  // Every crash counts as the first: it is started again at once.
  const supervisor = new Supervisor(
    { id: "app_1", slug: "support" },
    (event) => {
      events.push(event);
    },
    { stableMs: 0, ...limits },
  );
  onTestFinished(() => supervisor.close({ drainMs: 0, stopMs: 0 }));
  const build = (number: number): SupervisedBuild => ({
    number,
    start: (signal) =>
      startBuildProcess(
        { ...program, environment: { BUILD: String(number) } },
        { onLine: (line) => lines.push(line), timeoutMs: 20_000, signal, groups: GROUPS },
      ),
  });
  const deploy = async (number: number) => {
    const process = await build(number).start(new AbortController().signal);
    if (process.kind === "failed") throw new Error(process.reason);
    return { process, drained: supervisor.switchTo(build(number), process).ended };
  };
  return { supervisor, events, lines, deploy };
}

/** Sends one request after the other until it is told to stop, and counts what went wrong. */
function constantLoad(requests: readonly SentRequest[], check: (body: string) => boolean) {
  let isOver = false;
  const result = { failures: [] as string[], builds: new Set<string>() };
  const settled = new EventEmitter();
  const worker = async (sent: SentRequest): Promise<void> => {
    while (!isOver) {
      try {
        const { status, body } = await sendRequest(sent);
        const text = body.toString("latin1");
        if (status !== 200 || !check(text)) result.failures.push(`${status} ${text.slice(0, 100)}`);
        result.builds.add(text.charAt(0));
      } catch (error) {
        result.failures.push(String(error));
      }
      settled.emit("request");
    }
  };
  const workers = requests.map(worker);
  return {
    result,
    /** Resolves when this many more requests have been answered, or have failed. */
    more: async (requests: number) => {
      for (let n = 0; n < requests; n++) await once(settled, "request");
    },
    stop: async () => {
      isOver = true;
      await Promise.all(workers);
    },
  };
}

it("loses no request during ten switches under constant load", async () => {
  const { supervisor, events, deploy } = await startSupervisor();
  await deploy(0);
  const { port, problems } = await serveGateway(supervisor);
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const large = Buffer.alloc(300_000, "y");
  const kinds: SentRequest[] = [
    { options: { port, agent } },
    { options: { port } },
    {
      options: { port, agent, method: "POST", headers: { "content-length": 5 } },
      body: [Buffer.from("small")],
    },
    { options: { port, agent, method: "POST" }, body: [large, large] },
    { options: { port, path: "/stream", agent } },
    { options: { port, path: "/stream" } },
  ];
  const load = constantLoad([...kinds, ...kinds, ...kinds], (body) =>
    /^(\d)(?:\1{9}| (?:small|y{600000})?)$/.test(body),
  );
  const drains: Promise<number>[] = [];
  for (const number of [1, 2, 3, 4, 5, 6, 7, 8, 9, 0]) {
    drains.push((await deploy(number)).drained);
    await load.more(40);
  }
  expect(await Promise.all(drains)).toEqual(drains.map(() => 0));
  await load.stop();
  expect(load.result.failures).toEqual([]);
  expect(problems).toEqual([]);
  // Every build had its share, and every process but the last is gone.
  expect([...load.result.builds].toSorted().join("")).toBe("0123456789");
  expect(events.filter(({ kind }) => kind === "stopped")).toHaveLength(10);
}, 60_000);

it("breaks off what takes too long, so that the build before has its last words", async () => {
  const { supervisor, lines, deploy } = await startSupervisor({ drainMs: 50, stopMs: 60_000 });
  const first = await deploy(1);
  const { port } = await serveGateway(supervisor);
  const send = (path: string) =>
    sendRequest({ options: { port, path } }).catch((error: NodeJS.ErrnoException) => error.code);
  const [begun, silent] = [send("/endless"), send("/silent")];
  await expect.poll(() => lines.toSorted()).toEqual(["/endless", "/silent"]);
  expect(await (await deploy(2)).drained).toBe(2);
  expect(await begun).toBe("ECONNRESET");
  expect(await silent).toMatchObject({ status: 502 });
  // It had no requests left, and ended.
  expect(await first.process.ended).toMatchObject({ code: 0 });
});

it("keeps requests that come while a killed build is started again", async () => {
  const { supervisor, events, deploy } = await startSupervisor();
  await deploy(1);
  const { port, problems } = await serveGateway(supervisor);
  const small: SentRequest = {
    options: { port, method: "POST", headers: { "content-length": 2 } },
    body: [Buffer.from("hi")],
  };
  const bare: SentRequest = { options: { port } };
  for (let round = 1; round <= 3; round++) {
    // Connections that will be dead when they are used again.
    await Promise.all(Array.from({ length: 10 }, () => sendRequest(small)));
    const last = events.findLast((event) => event.kind === "serving");
    process.kill(last?.pid ?? Number.NaN, "SIGKILL");
    // Sent before the supervisor has noticed that the process is gone.
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => sendRequest(n % 2 === 0 ? small : bare)),
    );
    expect(problems).toEqual([]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  }
  expect(events.filter(({ kind }) => kind === "crashed")).toHaveLength(3);
}, 30_000);
