import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findTraces, outline, readTrace } from "../clients/read-back.ts";
import { type DataFolder, emptyDataFolder } from "../data-folder.ts";
import { type RunningServer, startServer } from "../running-server.ts";
import { startBlackHole } from "./black-hole.ts";
import { post } from "./post.ts";
import { type RunningProgram, runProgram, startProgram } from "./running-program.ts";

const TREE = "WORKFLOW invoke_workflow describe\n  TASK shorten";
/** Short retry delays, so that the tests need not wait. */
const IMPATIENT = { intervalMs: 5, retryMs: 5, maxRetryMs: 20 };

let folder: DataFolder;
beforeEach(async () => {
  folder = await emptyDataFolder();
});
afterEach(() => folder[Symbol.asyncDispose]());

/** The platform, at the address and with the data that it had before. */
function restart({ url }: RunningServer): Promise<RunningServer> {
  const flags = ["--port", new URL(url).port];
  return startServer({ dataDirectory: folder.path, flags });
}

function startDescribing(baseUrl: string, limits: object = IMPATIENT): Promise<RunningProgram> {
  return startProgram("describing.ts", {
    env: {
      AGATE_BASE_URL: baseUrl,
      AGATE_CONFIG_FILE: "agate.config.json",
      OPTIONS: JSON.stringify({ limits }),
    },
  });
}

/** Calls the route a few times, each of which must be answered, and gives the ids of the traces. */
async function callTimes(times: number, { url }: RunningProgram): Promise<string[]> {
  const traceIds: string[] = [];
  for (let n = 0; n < times; n++) {
    const { status, body } = await post(`${url}/run/describe`, { inputs: { stone: "Agate" } });
    expect([status, body.data]).toEqual([200, "Agate is b"]);
    traceIds.push(body.trace_id);
  }
  return traceIds;
}

async function expectStored(server: RunningServer, traceIds: readonly string[]): Promise<void> {
  for (const traceId of traceIds) {
    expect(outline(await readTrace(server.url, traceId))).toBe(TREE);
  }
}

/** Has the program flush, and waits for it. */
async function flushed(program: RunningProgram) {
  const line = program.nextLine();
  process.kill(program.pid, "SIGUSR2");
  return ((await line) as { statistics: object }).statistics;
}

async function health({ url }: RunningProgram) {
  const response = await fetch(`${url}/health`);
  return ((await response.json()) as { telemetry: Record<string, unknown> }).telemetry;
}

describe("while the platform is away", () => {
  it("calls are answered, and their spans wait: away at the start, and again later", async () => {
    const first = await startServer({ dataDirectory: folder.path });
    await first.kill();
    await using program = await startDescribing(first.url);
    const traceIds = await callTimes(5, program);
    expect(await flushed(program)).toMatchObject({ exported: 0, dropped: 0, queued: 10 });
    expect(await health(program)).toEqual({
      exported: 0,
      dropped: 0,
      queued: 10,
      last_error: "ECONNREFUSED",
    });

    await using second = await restart(first);
    expect(await flushed(program)).toMatchObject({ exported: 10, queued: 0, lastError: null });
    await expectStored(second, traceIds);
    traceIds.push(...(await callTimes(5, program)));
    await second.kill();
    traceIds.push(...(await callTimes(5, program)));
    await flushed(program);

    await using third = await restart(first);
    traceIds.push(...(await callTimes(5, program)));
    // Asked to end, it sends what there is.
    expect(await program.end()).toMatchObject({ signal: "SIGTERM" });
    await expectStored(third, traceIds);
  });

  it("the queue is bounded: what is lost is counted, and told once it is back", async () => {
    const first = await startServer({ dataDirectory: folder.path });
    await first.kill();
    await using program = await startDescribing(first.url, { ...IMPATIENT, maxSpans: 8 });
    const traceIds = await callTimes(10, program);
    expect(await health(program)).toMatchObject({ exported: 0, dropped: 12, queued: 8 });
    expect(program.stderr()).not.toContain("lost");

    await using second = await restart(first);
    expect(await flushed(program)).toMatchObject({ exported: 8, dropped: 12, queued: 0 });
    await expectStored(second, traceIds.slice(0, 4));
    expect(await findTraces(second.url, "limit=100")).toHaveLength(4);
    const { stderr } = await program.end();
    const told = stderr.split("\n").filter((line) => line.includes("lost"));
    expect(told).toEqual([
      `[agate] 12 spans were lost because the queue for Agate at ${first.url}/v1/traces was full: ECONNREFUSED.`,
    ]);
  });

  it("calls do not wait for one that takes spans and never answers", async () => {
    await using hole = await startBlackHole();
    await using program = await startDescribing(hole.url, { ...IMPATIENT, flushMs: 50 });
    await callTimes(1, program);
    await hole.received;
    // Its spans are on their way and will stay there.
    await callTimes(20, program);
    expect(await health(program)).toMatchObject({ exported: 0, dropped: 0, queued: 42 });
    // `ag.flush()` gives up, long before the request itself does.
    expect(await flushed(program)).toMatchObject({ queued: 42 });
    expect(hole.connections.open).toBeGreaterThan(0);
    const { signal, stderr } = await program.end();
    expect(signal).toBe("SIGTERM");
    expect(stderr).toMatch(/^\[agate\] 42 spans were lost at shutdown: .*\n$/);
  });
});

describe("the end of a process", () => {
  it("loses nothing of a call that is running when it is asked to end", async () => {
    await using server = await startServer({ dataDirectory: folder.path });
    await using program = await startDescribing(server.url, {});
    const traceIds = await callTimes(3, program);
    const waiting = program.nextLine();
    const answer = post(`${program.url}/run/wait`, {});
    expect(await waiting).toBe("waiting");
    const { signal, stderr } = await program.end();
    expect({ signal, stderr }).toEqual({ signal: "SIGTERM", stderr: "" });
    const { body } = await answer;
    expect(body.data).toBe("done");
    expect(await readTrace(server.url, body.trace_id)).toMatchObject({
      content: { outputs: "done" },
    });
    await expectStored(server, traceIds);
  });

  it.each(["after ag.flush()", "without it"])(
    "of a script comes %s, with all sent",
    async (how) => {
      await using server = await startServer({ dataDirectory: folder.path });
      const args = how === "without it" ? [] : ["--flush"];
      const ended = await runProgram("script.ts", { args, env: { AGATE_BASE_URL: server.url } });
      expect(ended).toMatchObject({ code: 0, stderr: "" });
      const [top] = await findTraces(server.url, "limit=1");
      expect(top).toMatchObject({ name: "describe", spankind: "TASK" });
      for (const line of ended.printed) {
        const { holding } = line as { holding: string[] };
        expect(holding).not.toContain("Timeout");
        expect(holding).not.toContain("TCPSocketWrap");
      }
    },
  );

  it("of a script says what was lost where the platform cannot be reached", async () => {
    const server = await startServer({ dataDirectory: folder.path });
    await server.kill();
    const ended = await runProgram("script.ts", { env: { AGATE_BASE_URL: server.url } });
    expect(ended.code).toBe(0);
    expect(ended.stderr).toBe(
      `[agate] 1 spans were lost at shutdown: Agate at ${server.url}/v1/traces did not take them, ECONNREFUSED.\n`,
    );
  });

  it("of a script by process.exit() says what was lost", async () => {
    await using server = await startServer({ dataDirectory: folder.path });
    const env = { AGATE_BASE_URL: server.url };
    const ended = await runProgram("script.ts", { args: ["--exit"], env });
    // The exporter loads with the first span: it is there by then, or not.
    expect(ended.stderr).toMatch(
      /^\[agate\] (?:1 spans were lost at shutdown: [^\n]*no time[^\n]*|The process exited before its spans were sent: 1 lost\.)\n$/,
    );
  });

  it("of a script is not held up by a platform that never answers", async () => {
    await using hole = await startBlackHole();
    const limits = { flushMs: 50, timeoutMs: 600_000 };
    const ended = await runProgram("script.ts", {
      env: { AGATE_BASE_URL: hole.url, OPTIONS: JSON.stringify({ limits }) },
    });
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain("1 spans were lost");
  });
});
