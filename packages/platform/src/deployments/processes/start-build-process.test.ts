import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it, onTestFinished, vi } from "vitest";
import type { BuildProgram } from "./spawn-build.ts";
import type { BuildProcess, StartFailure } from "./start-build-process.ts";
import { askSocket, startBuildProcess } from "./start-build-process.ts";
import { buildProgram, processGroups, workflowSource } from "./testing/build-program.fixture.ts";

const GROUPS = processGroups();
const TIMEOUT_MS = 20_000;
/** Of what never answers. */
const SHORT_TIMEOUT_MS = 500;
const WAITS = { timeout: 60_000 };

interface Started {
  readonly outcome: BuildProcess | StartFailure;
  readonly lines: readonly string[];
}

async function start(program: BuildProgram, timeoutMs = TIMEOUT_MS): Promise<Started> {
  const lines: string[] = [];
  const outcome = await startBuildProcess(program, {
    onLine: (line, stream) => lines.push(`${stream}: ${line}`),
    timeoutMs,
    groups: GROUPS,
  });
  if (outcome.kind === "running") onTestFinished(() => outcome.stop(0));
  return { outcome, lines };
}

async function startRunning(program: BuildProgram): Promise<BuildProcess> {
  const { outcome } = await start(program);
  if (outcome.kind !== "running") throw new Error(`${outcome.reason}\n${outcome.log.join("\n")}`);
  return outcome;
}

async function startFailing(source: string, timeoutMs?: number): Promise<StartFailure> {
  const program = await buildProgram(source);
  const temporary = await mkdtemp(join(tmpdir(), "agate-sockets-"));
  vi.stubEnv("TMPDIR", temporary);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await rm(temporary, { recursive: true });
  });
  const { outcome } = await start(program, timeoutMs);
  if (outcome.kind !== "failed") throw new Error("It runs.");
  expect(readdirSync(temporary)).toEqual([]);
  return outcome;
}

/**
 * Starts what never answers as it should with ever more patience, until it has said `word`: on a busy
 * machine it may not even have begun when its time is over.
 */
async function startSilent(
  source: string,
  word: string,
): Promise<StartFailure & { readonly seconds: number }> {
  for (let timeoutMs = SHORT_TIMEOUT_MS; ; timeoutMs *= 2) {
    const failure = await startFailing(source, timeoutMs);
    if (failure.log.some((line) => line.startsWith(word))) {
      return { ...failure, seconds: timeoutMs / 1000 };
    }
  }
}

function serverSource(handle: string): string {
  return `
    import { createServer } from "node:http";
    createServer((request, response) => { ${handle} })
      .listen(process.env.AGATE_LISTEN.slice(5));
  `;
}

async function get(build: BuildProcess, path: string): Promise<string> {
  const options = { signal: AbortSignal.timeout(TIMEOUT_MS), mostBytes: 1_000_000 };
  return (await askSocket(build.socketPath, path, options)).body;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

it("runs a program until it is told to stop, in a folder that only its user can enter", async () => {
  const build = await startRunning(await buildProgram(workflowSource()));
  expect(build.openapi).toEqual({ openapi: "3.1.0", paths: {} });
  expect(await get(build, "/anything")).toBe("hello");
  expect(statSync(dirname(build.socketPath)).mode & 0o777).toBe(0o700);
  await build.stop(TIMEOUT_MS);
  expect(await build.ended).toMatchObject({ reason: "It ended with code 0.", code: 0 });
  expect(existsSync(dirname(build.socketPath))).toBe(false);
  expect(isAlive(build.pid)).toBe(false);
});

it("passes the platform's environment on, without what is Agate's or would change Node", async () => {
  vi.stubEnv("AGATE_API_KEY", "the platform's own");
  vi.stubEnv("NODE_OPTIONS", "--max-old-space-size=300");
  vi.stubEnv("npm_config_token", "secret");
  vi.stubEnv("OPENAI_API_KEY", "the user's");
  onTestFinished(() => void vi.unstubAllEnvs());
  const build = await startRunning(
    await buildProgram(workflowSource("response.end(JSON.stringify(process.env));"), {
      AGATE_APPLICATION: "support",
      PORT: "80",
    }),
  );
  const environment = JSON.parse(await get(build, "/")) as Record<string, string>;
  expect(environment).toMatchObject({
    AGATE_APPLICATION: "support",
    AGATE_LISTEN: `unix:${build.socketPath}`,
    HOST: "127.0.0.1",
    OPENAI_API_KEY: "the user's",
    PORT: "0",
  });
  for (const name of ["AGATE_API_KEY", "NODE_OPTIONS", "npm_config_token"]) {
    expect(environment).not.toHaveProperty(name);
  }
});

it("tells every line with its stream, the long cut short, the last without its end", async () => {
  const { outcome, lines } = await start(
    await buildProgram(`
      process.stdout.write("one\\ntw");
      process.stderr.write("tr\\u00f6\\r\\n");
      process.stdout.write("o\\n\\n" + "x".repeat(20_000) + "\\nno end");
      process.exitCode = 3;
    `),
  );
  expect(lines.filter((line) => line.startsWith("stdout"))).toEqual([
    "stdout: one",
    "stdout: two",
    "stdout: ",
    `stdout: ${"x".repeat(16_384)} … and 3616 characters more`,
    "stdout: no end",
  ]);
  expect(lines).toContain("stderr: trö");
  expect(outcome).toMatchObject({
    kind: "failed",
    cause: "ended",
    reason: "It ended with code 3 before it answered.",
  });
});

it("refuses a program that fails at its start, with the line of its source that failed", async () => {
  const failure = await startFailing(`
    for (let n = 0; n < 100; n++) console.log("line", n);
    throw new Error("no model");
  `);
  expect(failure).toMatchObject({ cause: "ended", log: expect.any(Array) });
  expect(failure.log).toHaveLength(50);
  expect(failure.log).toContain("Error: no model");
});

it("refuses a program that ends without listening", async () => {
  const failure = await startFailing(`console.log("done");`);
  expect(failure).toEqual({
    kind: "failed",
    cause: "ended",
    reason: "It ended with code 0 before it answered.",
    log: ["done"],
  });
});

it("refuses a program that listens on nothing, and kills it though it will not be ended", async () => {
  const failure = await startSilent(
    `process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("pid", process.pid);`,
    "pid",
  );
  expect(failure.cause).toBe("silent");
  expect(failure.reason).toContain(`AGATE_LISTEN within ${failure.seconds} s`);
  const pid = Number(failure.log.join().replace("pid ", ""));
  expect(isAlive(pid)).toBe(false);
});

it("refuses a program that takes connections and never answers", async () => {
  const failure = await startSilent(
    `import { createServer } from "node:net";
     createServer(() => console.log("connected")).listen(process.env.AGATE_LISTEN.slice(5));`,
    "connected",
  );
  expect(failure.cause).toBe("silent");
});

it("refuses one that never gets ready", async () => {
  const failure = await startSilent(
    serverSource(`console.log("asked"); response.statusCode = 503; response.end();`),
    "asked",
  );
  expect(failure).toMatchObject({
    cause: "not-a-workflow",
    reason: `It answered GET /health with 503, where a workflow answers 200, for ${failure.seconds} s.`,
  });
});

it.each([
  ["another server", `response.statusCode = 404; response.end();`, "GET /health with 404"],
  [
    "one without a description",
    `response.statusCode = request.url === "/health" ? 200 : 404; response.end();`,
    "GET /openapi.json with 404",
  ],
  ["one whose description is no JSON", `response.end("<html>");`, "could not be read"],
  [
    "one whose description has no end",
    `if (request.url === "/health") return response.end();
     const more = () => { while (response.write("x".repeat(65536))); };
     response.on("drain", more); more();`,
    "larger than 16777216 bytes",
  ],
])("refuses %s", async (_, handle, reason) => {
  const failure = await startFailing(serverSource(handle));
  expect(failure.cause).toBe("not-a-workflow");
  expect(failure.reason).toContain(reason);
});

it("refuses a build whose folder is gone", async () => {
  const program = {
    folder: "/nowhere/at/all",
    entry: "main.mjs",
    environment: {},
    restrictions: null,
  };
  const { outcome } = await start(program);
  expect(outcome).toMatchObject({ cause: "ended", reason: expect.stringContaining("ENOENT") });
});

it("limits the heap of a process", async () => {
  const source = `
    import { getHeapStatistics } from "node:v8";
    console.log(Math.round(getHeapStatistics().heap_size_limit / 1024 ** 2));
  `;
  const program = await buildProgram(source);
  const limits: number[] = [];
  for (const heapBytes of [300 * 1024 ** 2, 600 * 1024 ** 2]) {
    const { lines } = await start({ ...program, heapBytes });
    limits.push(Number(lines[0]?.replace("stdout: ", "")));
  }
  // What V8 adds for young objects is the same for both.
  const [small = 0, large = 0] = limits;
  expect(small).toBeGreaterThanOrEqual(300);
  expect(large - small).toBe(300);
});

it("leaves nothing behind when the start is called off", async () => {
  const calledOff = new AbortController();
  const pids: number[] = [];
  const starting = startBuildProcess(
    await buildProgram(`console.log(process.pid); setInterval(() => {}, 1000);`),
    {
      onLine: (line) => {
        pids.push(Number(line));
        calledOff.abort(new Error("not wanted"));
      },
      timeoutMs: TIMEOUT_MS,
      signal: calledOff.signal,
      groups: GROUPS,
    },
  );
  await expect(starting).rejects.toThrow("not wanted");
  expect(pids).toHaveLength(1);
  expect(isAlive(pids[0] as number)).toBe(false);
});

it("kills a process that does not end when it is asked to", async () => {
  const build = await startRunning(
    await buildProgram(`${workflowSource()} process.removeAllListeners("SIGTERM");
      process.on("SIGTERM", () => {});`),
  );
  await build.stop(100);
  expect(await build.ended).toMatchObject({ reason: "It was killed by SIGKILL." });
});

it("keeps up with a program that prints without end, and says how much is missing", async () => {
  const lines: string[] = [];
  const build = await startBuildProcess(
    await buildProgram(
      workflowSource(
        "response.end();",
        `const line = "x".repeat(1023) + "\\n";
         const block = line.repeat(1024);
         // Not before the last block is gone: Node would keep what waits, and send it in one piece.
         const print = () => process.stdout.write(block, () => setImmediate(print));
         print();`,
      ),
    ),
    { onLine: (line) => lines.push(line), timeoutMs: TIMEOUT_MS, groups: GROUPS },
  );
  if (build.kind !== "running") throw new Error(`${build.reason} ${build.log.join("\n")}`);
  onTestFinished(() => build.stop(0));
  await vi.waitFor(() => {
    expect(lines.some((line) => /^\[agate\] [\d,]+ bytes of output are missing/.test(line))).toBe(
      true,
    );
  }, WAITS);
  await build.stop(0);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(2 * 1024);
});

it("ends the process when its platform is killed, though the program knows nothing of it", async () => {
  const program = await buildProgram(`
    ${workflowSource()}
    process.removeAllListeners("SIGTERM");
    process.on("SIGTERM", () => console.log("I stay"));
  `);
  const platform = spawn(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      `const { startBuildProcess } = await import(${JSON.stringify(new URL("./start-build-process.ts", import.meta.url).href)});
       const { ProcessGroups } = await import(${JSON.stringify(new URL("./process-groups.ts", import.meta.url).href)});
       const groups = new ProcessGroups(console.error);
       const build = await startBuildProcess(${JSON.stringify(program)}, { onLine() {}, timeoutMs: 20000, groups });
       console.log(build.pid, build.socketPath);
       setInterval(() => {}, 1000);`,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const [line] = (await once(createInterface({ input: platform.stdout }), "line")) as [string];
  const [pid, socketPath] = [Number(line.split(" ")[0]), String(line.split(" ")[1])];
  expect([isAlive(pid), existsSync(socketPath)]).toEqual([true, true]);
  platform.kill("SIGKILL");
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), WAITS);
  expect(existsSync(dirname(socketPath))).toBe(false);
});

it("keeps secrets that a program has told out of all that it prints, however it prints them", async () => {
  const sdk = new URL("../../../../sdk/src/tracing/secrets.ts", import.meta.url).href;
  const program = await buildProgram(`
    process.env.KEY = "hunter2-planted-secret";
    process.env.PEM = "line-one-of-a-key\\nline-two-of-a-key";
    const { secret } = await import(${JSON.stringify(sdk)});
    const key = secret("KEY");
    // At once: the platform hears of the secret by another channel than this.
    process.stdout.write("a " + key.slice(0, 9));
    process.stdout.write(key.slice(9) + "\\n");
    console.error(new Error("b " + key));
    console.log(secret("PEM"), { key });
    throw new Error("c " + key);
  `);
  const { outcome, lines } = await start(program);
  if (outcome.kind !== "failed") throw new Error("It runs.");
  expect(lines[0]).toBe("stdout: a [secret:KEY]");
  const all = [...lines, ...outcome.log, outcome.reason].join("\n");
  expect(all).toContain("b [secret:KEY]");
  expect(all).toContain("c [secret:KEY]");
  for (const part of ["hunter2", "planted", "line-one", "line-two"])
    expect(all).not.toContain(part);
});

it("redacts lines before they are shown, and before they explain a failed start", async () => {
  const program = await buildProgram(`
    console.log("joe@example.com");
    throw new Error("for joe@example.com");
  `);
  const lines: string[] = [];
  const outcome = await startBuildProcess(program, {
    redactLine: (line) => line.replaceAll("joe@example.com", "[redacted:email]"),
    onLine: (line) => lines.push(line),
    timeoutMs: TIMEOUT_MS,
    groups: GROUPS,
  });
  if (outcome.kind !== "failed") throw new Error("It runs.");
  expect(lines[0]).toBe("[redacted:email]");
  expect([...lines, ...outcome.log].join("\n")).not.toContain("joe@example.com");
});
