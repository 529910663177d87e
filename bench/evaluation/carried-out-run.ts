import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { AGATE, startAgate } from "../server-process.ts";

/** A platform with the evaluation of this folder deployed. */
export interface EvaluatingPlatform extends AsyncDisposable {
  /** Carries a run out. @returns cases a second, from its first to its last result. */
  run(concurrency: number): Promise<number>;
}

const POLL_MS = 1_000;

interface Run {
  readonly id: string;
  readonly status: string;
  readonly reason: string | null;
  readonly results: number;
}

/** @param folder The project: it is deployed as `agate deploy` does. */
export async function startEvaluatingPlatform(folder: string): Promise<EvaluatingPlatform> {
  await using started = new AsyncDisposableStack();
  const server = started.use(await startAgate(join(folder, ".agate/bench")));
  const url = `http://127.0.0.1:${server.port}`;
  const args = [AGATE, "deploy", "nothing.ts", "--environment", "development"];
  const deploy = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, AGATE_BASE_URL: url },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(deploy, "exit");
  if (code !== 0) throw new Error(`agate deploy ended with ${code}`);
  const running = started.move();
  return {
    run: (concurrency) => carriedOut(url, concurrency),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function carriedOut(url: string, concurrency: number): Promise<number> {
  const path = "/registry/applications/nothing/evaluations/nothing/runs";
  const { id } = await json<Run>(`${url}${path}`, { concurrency });
  for (;;) {
    const { status, reason, results } = await json<Run>(`${url}/registry/runs/${id}`);
    if (status === "running") {
      await pause(POLL_MS);
      continue;
    }
    if (status !== "finished") throw new Error(`The run is ${status}: ${reason}`);
    const [first, last] = await resultTimes(`${url}/registry/runs/${id}/results`);
    return results / ((last - first) / 1000);
  }
}

/** When the first and the last result came. */
async function resultTimes(url: string): Promise<[number, number]> {
  const times: number[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: {
      items: readonly { readonly created_at: string }[];
      next_cursor: string | null;
    } = await json(`${url}?limit=1000${cursor && `&cursor=${cursor}`}`);
    times.push(...page.items.map(({ created_at }) => Date.parse(created_at)));
    cursor = page.next_cursor;
  }
  times.sort((one, other) => one - other);
  return [times[0] ?? 0, times.at(-1) ?? 0];
}

async function json<Value>(url: string, body?: object): Promise<Value> {
  const response = await fetch(url, {
    ...(body && {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status} ${await response.text()}`);
  return (await response.json()) as Value;
}
