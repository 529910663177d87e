import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sharedPostgres } from "../../packages/platform/src/stores/testing/shared-databases.fixture.ts";
import type { Run, RunResult } from "../../packages/protocol/src/evaluations/run.ts";
import { judgeRun } from "../../packages/protocol/src/statistics/judge-run.ts";
import { emptyDataFolder } from "../data-folder.ts";
import { deployClient } from "../deployments/deploy-client.fixture.ts";
import { openPacker, type Packer } from "../deployments/pack-workflow.fixture.ts";
import { SeededRandom } from "../durability/seeded-random.ts";
import { type RunningServer, startServer } from "../running-server.ts";
import { countedWorkflow, startCallCounter } from "./counted-workflow.fixture.ts";

const TRIALS = 3;
const CONCURRENCY = 12;
const GATE = { scores: { right: { min: 0.4, notWorseBy: 0.05 } }, errors: { share: 0 } };

/** Right in about half of the cases; the candidate's build a little more often. */
function evals(cases: number): string {
  return `import { evaluation } from "@agate/sdk/evals";
import { say } from "./app.ts";
export const quality = evaluation("quality", {
  route: say,
  testset: Array.from({ length: ${cases} }, (_, n) => ({ id: "case-" + n, inputs: { n } })),
  scorers: {
    right: ({ output, trial }) =>
      (output.n * 7919 + trial * 104729 + (output.build === "two" ? 50 : 0)) % 1000 < 500,
  },
  trials: ${TRIALS},
  concurrency: ${CONCURRENCY},
  gate: ${JSON.stringify(GATE)},
});
`;
}

let packer: Packer;
beforeAll(async () => {
  packer = await openPacker();
});
afterAll(() => packer[Symbol.asyncDispose]());

interface Campaign {
  readonly database: "PostgreSQL" | "SQLite";
  readonly cases: number;
  /** Which server is killed, of those that carry the run out together. */
  readonly killed: readonly number[];
}

const CAMPAIGNS: readonly Campaign[] = [
  { database: "PostgreSQL", cases: 2000, killed: [0, 1, 2] },
  // One server has the file. What it had leased when it was killed lapses before the run goes on.
  { database: "SQLite", cases: 500, killed: [0, 0, 0] },
];

it.each(CAMPAIGNS)(
  "gives each item one result although every server is killed in the middle ($database)",
  async ({ database, cases, killed }) => {
    const total = cases * TRIALS * 2;
    const seed = Number(process.env.AGATE_SEED ?? Date.now() % 100_000);
    const random = new SeededRandom(seed);
    const where = `AGATE_SEED=${seed}`;
    await using parts = new AsyncDisposableStack();
    const counter = parts.use(await startCallCounter());
    const flags = database === "PostgreSQL" ? await flagsOfPostgres() : [];
    const numbers = [...new Set(killed)];
    const folders = await Promise.all(numbers.map(() => emptyDataFolder()));
    for (const folder of folders) parts.use(folder);
    const start = (n: number) => startServer({ flags, dataDirectory: folders[n]?.path ?? "" });
    const servers = await Promise.all(numbers.map(start));
    parts.defer(async () => {
      await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
    });
    const first = servers[0] as RunningServer;
    const client = deployClient(first.url);
    await client.mustDeploy(
      await packer.pack(countedWorkflow(counter.url, "one")),
      "?environment=staging",
    );
    const app = countedWorkflow(counter.url, "two");
    await client.mustDeploy(await packer.pack(app, evals(cases)), "?environment=development");

    const started = await client.send("POST", "/evaluations/quality/runs", {
      candidate: "default",
      baseline: "env:staging",
    });
    const run = (await started.json()) as Run;
    expect([started.status, run.items], JSON.stringify(run)).toEqual([201, total]);
    const now = async (): Promise<Run> => {
      const server = servers[random.between(0, servers.length - 1)] as RunningServer;
      return (await (await fetch(`${server.url}/registry/runs/${run.id}`)).json()) as Run;
    };

    // At random numbers of results, with the whole run still to come or nearly done.
    const kills = killed.map((server) => ({ server, at: random.between(200, total - 1000) }));
    for (const { server, at } of kills.toSorted((one, other) => one.at - other.at)) {
      await expect.poll(async () => (await now()).results, POLL).toBeGreaterThanOrEqual(at);
      await delay(random.between(0, 50));
      await servers[server]?.kill();
      servers[server] = await start(server);
    }
    await expect.poll(async () => (await now()).status, POLL).not.toBe("running");

    const finished = await now();
    expect([finished.status, finished.reason], where).toEqual(["finished", null]);
    expect([finished.results, finished.errors], where).toEqual([total, 0]);
    const results: RunResult[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: Response = await fetch(
        `${servers[0]?.url}/registry/runs/${run.id}/results?limit=1000${cursor && `&cursor=${cursor}`}`,
      );
      const { items, next_cursor } = (await page.json()) as {
        items: RunResult[];
        next_cursor: string | null;
      };
      results.push(...items);
      cursor = next_cursor;
    }
    const items = new Set(results.map((each) => `${each.column} ${each.case} ${each.trial}`));
    expect([results.length, items.size], where).toEqual([total, total]);
    for (const { column, output } of results) {
      expect(output).toMatchObject({ build: column === "candidate" ? "two" : "one" });
    }

    // Every item was called, and again only where its call was running on a server that was killed.
    expect(counter.calls.size, where).toBe(total);
    console.log(
      `${database}, ${where}: ${counter.total} calls for ${total} items and ${kills.length} kills`,
    );
    expect(counter.total, where).toBeLessThanOrEqual(total + kills.length * CONCURRENCY);

    const outcomes = Map.groupBy(results, (each) => `${each.case} ${each.column}`);
    const outcomesOf = (id: string, column: string) =>
      (outcomes.get(`${id} ${column}`) ?? []).map(({ scores }) => scores[0]?.value ?? "failed");
    const ids = Array.from({ length: cases }, (_, n) => `case-${n}`);
    const ours = results.filter(({ column }) => column === "candidate");
    const expected = judgeRun(GATE, {
      scores: {
        right: ids.map((id) => ({
          candidate: outcomesOf(id, "candidate"),
          baseline: outcomesOf(id, "baseline"),
        })),
      },
      calls: {
        latencies: ours.map(({ latency_ms }) => latency_ms ?? undefined),
        costs: ours.map(({ cost }) => cost ?? undefined),
        errors: 0,
        calls: ours.length,
      },
    });
    expect(finished.verdict, where).toEqual(JSON.parse(JSON.stringify(expected)));
  },
  900_000,
);

async function flagsOfPostgres(): Promise<readonly string[]> {
  const { url } = await (await sharedPostgres()).createDatabase();
  return ["--store", url, "--registry", url];
}

const POLL = { timeout: 600_000, interval: 200 };
