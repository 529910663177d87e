import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startEvaluatingPlatform } from "./evaluation/carried-out-run.ts";
import { childrenOf } from "./process-tree.ts";
import type { Line } from "./report.ts";
import { median, perSecond, ratio } from "./report.ts";
import { AGATE, residentMegabytes, temporaryFolder } from "./server-process.ts";

const CASES = 5_000;
const MANY_CASES = 20_000;
/** What nothing.eval.ts has where nothing is said. */
const CARRIED_OUT_CASES = 1_000;
const CONCURRENCY = 8;
const ROUNDS = 3;
const SAMPLE_MS = 50;
const SETTING = `1 trial, 1 column, 1 scorer, concurrency ${CONCURRENCY}, results in a file`;

/** Cases of an evaluation whose route does nothing, here and on a platform, beside calls of the route. */
export async function benchEvaluation(): Promise<Line[]> {
  await using folder = await temporaryFolder();
  await cp(join(import.meta.dirname, "evaluation"), folder.path, { recursive: true });
  await symlink(join(import.meta.dirname, "../node_modules"), join(folder.path, "node_modules"));
  const manifest = { name: "nothing", type: "module", dependencies: { "@agate/sdk": "*" } };
  await writeFile(join(folder.path, "package.json"), JSON.stringify(manifest));
  const runs: EvaluationRun[] = [];
  const calls: number[] = [];
  const carriedOut: number[] = [];
  await using platform = await startEvaluatingPlatform(folder.path);
  // Round by round, so that what else the machine does touches both alike.
  for (let round = 0; round < ROUNDS; round++) {
    runs.push(await evaluate(folder.path, CASES));
    calls.push(await callDirectly(folder.path));
    carriedOut.push(await platform.run(CONCURRENCY));
  }
  const many = await evaluate(folder.path, MANY_CASES);
  const rate = median(runs.map(({ casesPerSecond }) => casesPerSecond));
  const call = median(calls);
  const onPlatform = median(carriedOut);
  const few = median(runs.map(({ megabytes }) => megabytes));
  return [
    {
      what: `evaluation of a route that does nothing, ${CASES.toLocaleString("en")} cases, ${SETTING}`,
      measured: perSecond(rate, "cases"),
      reference: `calls of the route over its socket ${perSecond(call, "calls")}`,
      ratio: ratio(rate / call),
      target: "≥ 1,000 cases/s",
    },
    {
      what: `the same evaluation carried out by the platform, ${CARRIED_OUT_CASES.toLocaleString("en")} cases, SQLite`,
      measured: perSecond(onPlatform, "cases"),
      reference: `agate eval ${perSecond(rate, "cases")}`,
      ratio: ratio(onPlatform / rate),
      target: "none",
    },
    {
      what: `peak memory of agate eval and its evaluator, ${MANY_CASES.toLocaleString("en")} cases`,
      measured: `${Math.round(many.megabytes)} MB at ${perSecond(many.casesPerSecond, "cases")}`,
      reference: `${CASES.toLocaleString("en")} cases ${Math.round(few)} MB`,
      ratio: ratio(many.megabytes / few),
      target: "none",
    },
  ];
}

interface EvaluationRun {
  readonly casesPerSecond: number;
  /** Of both processes at most. */
  readonly megabytes: number;
}

/** `agate eval` as a user runs it. Its time is that from the first to the last line of its results. */
async function evaluate(folder: string, cases: number): Promise<EvaluationRun> {
  const results = join(folder, ".agate/evaluations");
  const before = new Set(await readdir(results).catch(() => []));
  const args = [AGATE, "eval", "--concurrency", String(CONCURRENCY), "--reporter", "json"];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, CASES: String(cases) },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const exited = once(child, "exit");
  let peaks: readonly number[] = [];
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  while (!hasEnded()) {
    const processes = [child.pid as number, ...childrenOf(child.pid as number)];
    const now = processes.map(peakOf).filter((megabytes) => megabytes > 0);
    // The bundler's process has ended before the run: the last two are agate eval and its evaluator.
    if (now.length === 2) peaks = now;
    await Promise.race([pause(SAMPLE_MS), exited]);
  }
  if (child.exitCode !== 0) throw new Error(`agate eval ended with ${child.exitCode}`);
  const [created = ""] = (await readdir(results)).filter((name) => !before.has(name));
  const path = join(results, created);
  const { started_at } = JSON.parse((await readFile(path, "utf8")).split("\n", 1)[0] ?? "");
  const seconds = ((await stat(path)).mtimeMs - Date.parse(started_at)) / 1000;
  const megabytes = peaks.reduce((sum, each) => sum + each, 0);
  return { casesPerSecond: cases / seconds, megabytes };
}

/** 0 for a process that has ended. */
function peakOf(pid: number): number {
  try {
    return residentMegabytes(pid, "at-most") || 0;
  } catch {
    return 0;
  }
}

/** Calls a second of the same route, served by itself on a socket of the same kind. */
async function callDirectly(folder: string): Promise<number> {
  const socketPath = join(folder, "nothing.sock");
  const child = spawn(process.execPath, ["--no-warnings", join(folder, "nothing-server.ts")], {
    env: {
      ...process.env,
      AGATE_LISTEN: `unix:${socketPath}`,
      AGATE_CONFIG_FILE: join(folder, "agate.config.json"),
      AGATE_APPLICATION: "nothing",
    },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  await Promise.race([
    once(child, "message"),
    exited.then(([code]) => Promise.reject(new Error(`The server ended with ${code}`))),
  ]);
  const agent = new Agent({ keepAlive: true });
  let next = 0;
  const work = async () => {
    while (next < CASES) await callOnce(agent, socketPath, next++);
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  const seconds = (performance.now() - started) / 1000;
  agent.destroy();
  child.kill("SIGTERM");
  await exited;
  return CASES / seconds;
}

function callOnce(agent: Agent, socketPath: string, n: number): Promise<void> {
  const body = JSON.stringify({ inputs: { n } });
  return new Promise((resolve, reject) => {
    const sent = request({
      agent,
      socketPath,
      method: "POST",
      path: "/run/nothing",
      headers: { "content-type": "application/json", "content-length": body.length },
    });
    sent.on("error", reject);
    sent.on("response", (response) => {
      response.resume().on("end", () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`The route answered ${response.statusCode}`));
      });
    });
    sent.end(body);
  });
}
