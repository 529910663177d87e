import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sharedPostgres } from "../../packages/platform/src/stores/testing/shared-databases.fixture.ts";
import { emptyDataFolder } from "../data-folder.ts";
import { SeededRandom } from "../durability/seeded-random.ts";
import { type RunningServer, startServer } from "../running-server.ts";
import { deployClient } from "./deploy-client.fixture.ts";
import {
  type Answered,
  change,
  deployPairs,
  markStaging,
  must,
  PAIR_CALL,
  pairsInHistory,
  SeenPairs,
} from "./numbered-pairs.fixture.ts";
import { type OpenLoad, openLoad } from "./open-load.fixture.ts";
import { openPacker, type Packer } from "./pack-workflow.fixture.ts";

// No call ever meets the code of one deployment with the configuration of another, on any of three servers,
// while promotions, rollbacks and new secrets come through each of them; no call fails; every span names the
// build that answered. Then the same while the server that makes a change is killed after each of its steps:
// only calls that it had in hand are lost.

const ROUNDS = 17;
const PER_SECOND = 200;
const LATE_MS = 10_000;
const MOST_WAITING = 1000;

let packer: Packer;
beforeAll(async () => {
  packer = await openPacker();
});
afterAll(() => packer[Symbol.asyncDispose]());

/** Servers on one database, each with a folder of its own, behind no balancer: the load chooses. */
async function openServers() {
  await using parts = new AsyncDisposableStack();
  const { url } = await (await sharedPostgres()).createDatabase();
  const options = {
    flags: ["--store", url, "--registry", url],
    env: { AGATE_SECRET_KEY: randomBytes(32).toString("base64") },
  };
  const folders = await Promise.all([emptyDataFolder(), emptyDataFolder(), emptyDataFolder()]);
  for (const folder of folders) parts.use(folder);
  const kept = parts.move();
  const running = new Map<number, RunningServer>();
  return {
    running,
    /** Starts one, again after it was killed, and waits until it is ready for calls. */
    async start(n: number): Promise<RunningServer> {
      const server = await startServer({ ...options, dataDirectory: folders[n]!.path });
      kept.use(server);
      running.set(n, server);
      const ready = async () => (await fetch(`${server.url}/health/ready`)).status;
      await expect.poll(ready, { timeout: 60_000 }).toBe(200);
      return server;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function newLoad(seen: SeenPairs): OpenLoad {
  return openLoad({
    ...PAIR_CALL,
    perSecond: PER_SECOND,
    mostWaiting: MOST_WAITING,
    faultOf: (status, body) => seen.faultOf(status, body),
  });
}

const rotate = (url: string, secret: string) =>
  change(() =>
    deployClient(url).send("PATCH", "/environments/production/variables", {
      set: { ROTATED: secret },
    }),
  );

async function ask(url: string): Promise<Answered> {
  const response = await deployClient(url).call("/run/pair", PAIR_CALL.body);
  return ((await response.json()) as { data: Answered }).data;
}

/** Every answer was a pair of the history, and every server comes to answer with the last one. */
async function expectHistory(
  servers: readonly RunningServer[],
  seen: SeenPairs,
  load: OpenLoad,
): Promise<void> {
  expect(load.failures.slice(0, 5)).toEqual([]);
  const [first] = servers;
  const history = await pairsInHistory(first!.url);
  expect([...seen.pairs].filter((pair) => !history.has(pair))).toEqual([]);
  const [last] = history;
  for (const { url } of servers) {
    const pair = async () => {
      const { build, mark } = await ask(url);
      return `${build} ${mark}`;
    };
    await expect.poll(pair, { timeout: 60_000 }).toBe(last);
  }
}

/** Pages through all spans: each names the build that answered its call. @returns how many there were. */
async function expectNamedBuilds(url: string, traces: ReadonlyMap<string, number>) {
  const found = new Set<string>();
  let spans = 0;
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const response = await fetch(`${url}/observability/spans/?limit=1000${query}`);
    expect(response.status).toBe(200);
    const page = (await response.json()) as {
      items: { trace_id: string; environment: string; metadata: { build?: number } }[];
      next_cursor: string | null;
    };
    for (const { trace_id, metadata } of page.items) {
      spans++;
      const build = traces.get(trace_id);
      if (build === undefined) expect(metadata.build).toBeTypeOf("number");
      else if (metadata.build !== build)
        expect.fail(`${trace_id}: ${metadata.build}, not ${build}`);
      found.add(trace_id);
    }
    cursor = page.next_cursor;
  }
  return { spans, missing: [...traces.keys()].filter((id) => !found.has(id)).length };
}

it("never mixes a pair while three servers promote, roll back and rotate a secret", async () => {
  await using servers = await openServers();
  const [one, two] = await Promise.all([servers.start(0), servers.start(1)]);
  await rotate0(one.url);
  await deployPairs(one.url, packer);
  await expect.poll(() => ask(two.url)).toMatchObject({ build: 1, secret: "secret-0" });
  const seen = new SeenPairs();
  const load = newLoad(seen);
  load.join(one.url);
  load.join(two.url);
  const late = delay(LATE_MS)
    .then(() => servers.start(2))
    .then(({ url }) => load.join(url));
  const began = performance.now();
  for (let round = 1; round <= ROUNDS && load.failures.length === 0; round++) {
    if (round === Math.ceil(ROUNDS / 2)) await late;
    const urls = [...servers.running.values()].map(({ url }) => url);
    const by = (n: number) => urls[(round + n) % urls.length]!;
    const move = (n: number, what: string, body: object) =>
      change(() => deployClient(by(n)).send("POST", `/environments/production/${what}`, body));
    await markStaging(by(0), round);
    await move(1, "promote", { from: "staging" });
    await rotate(by(2), `secret-${round}`);
    await move(3, "rollback", {});
    await load.more(PER_SECOND / 10);
  }
  const seconds = (performance.now() - began) / 1000;
  await load.stop();
  await expectHistory([...servers.running.values()], seen, load);
  expect(seen.pairs.size).toBeGreaterThan(ROUNDS / 2);
  for (const secret of seen.secrets) expect(secret).toMatch(/^secret-\d+$/);
  console.log(
    `${3 * ROUNDS} changes in ${seconds.toFixed(0)} s: ${load.answered} calls, ${load.putOff} put off, ${seen.pairs.size} pairs, ${seen.secrets.size} secrets`,
  );
  // Processes send their last spans when they end, and the others every few seconds.
  const missing = async () => (await expectNamedBuilds(one.url, seen.traces)).missing;
  await expect.poll(missing, { timeout: 120_000, interval: 1000 }).toBe(0);
});

/** Before there is an application, it is created. */
async function rotate0(url: string): Promise<void> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ slug: "support" });
  await must(fetch(`${url}/registry/applications`, { method: "POST", headers, body }));
  await rotate(url, "secret-0");
}

/** Begins a change, and resolves when so many steps of it were told, or with its end. */
async function afterEvents(
  url: string,
  what: string,
  body: object,
  events: number,
): Promise<"begun" | "over" | "put off"> {
  const path = `${url}/registry/applications/support/environments/production/${what}`;
  const headers = { "content-type": "application/json", accept: "text/event-stream" };
  const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  expect(response.status).toBe(200);
  let told = "";
  const decoder = new TextDecoder();
  const count = () => told.match(/^event: step/gm)?.length ?? 0;
  const reader = response.body!.getReader();
  while (count() < events) {
    const { done, value } = await reader.read();
    // Put off by a busy machine: the same step is tried again.
    if (told.includes("event: refused")) expect(told).toContain('"status":503');
    if (done) return told.includes("event: refused") ? "put off" : "over";
    told += decoder.decode(value, { stream: true });
  }
  void reader.cancel().catch(() => {});
  return "begun";
}

it("loses only what a server had in hand that was killed after each step of its change", async () => {
  await using servers = await openServers();
  const [one] = await Promise.all([0, 1, 2].map((n) => servers.start(n)));
  await rotate0(one!.url);
  await deployPairs(one!.url, packer);
  for (const { url } of servers.running.values()) {
    await expect.poll(() => ask(url)).toMatchObject({ build: 1, secret: "secret-0" });
  }
  const seen = new SeenPairs();
  const load = newLoad(seen);
  for (const { url } of servers.running.values()) load.join(url);
  let turn = 0;
  /** Has the next server make a change, and kills it in the middle. */
  const killDuring = async (begin: (url: string) => Promise<void>) => {
    const n = turn++ % 3;
    const victim = servers.running.get(n)!;
    await begin(victim.url);
    load.leave(victim.url, "is killed");
    servers.running.delete(n);
    await victim.kill();
    await load.more(PER_SECOND / 4);
    load.join((await servers.start(n)).url);
  };
  let events = 0;
  let isOver = false;
  for (let mark = 1; !isOver && load.failures.length === 0; mark++) {
    // What the killed one had begun may be live, or not.
    const other = servers.running.get(turn % 3)!.url;
    await markStaging(other, mark);
    const what = (await liveBuild(other)) === 1 ? "promote" : "rollback";
    const body = what === "promote" ? { from: "staging" } : {};
    await killDuring(async (url) => {
      const reached = await afterEvents(url, what, body, events);
      if (reached !== "put off") events++;
      isOver = reached === "over";
    });
  }
  const random = new SeededRandom(15);
  for (let n = 1; n <= 3 && load.failures.length === 0; n++) {
    await killDuring(async (url) => {
      const rotated = rotate(url, `secret-${n}`).catch(() => {});
      await Promise.race([delay(random.between(0, 600)), rotated]);
    });
  }
  await load.stop();
  await expectHistory([...servers.running.values()], seen, load);
  // Spans that a killed server had not written are lost with it.
  const { spans } = await expectNamedBuilds(servers.running.get(0)!.url, seen.traces);
  console.log(
    `${turn} kills, after 0 to ${events - 1} events of a change: ${load.answered} calls, ${load.brokenOff} broken off, ${load.putOff} put off, ${seen.pairs.size} pairs, ${spans} spans`,
  );
  // Install, start, check, switch and drain, each begun and done.
  expect(events).toBeGreaterThanOrEqual(10);
});

async function liveBuild(url: string): Promise<number> {
  const response = await deployClient(url).send("GET", "/environments/production");
  const { deployment } = (await response.json()) as { deployment: { build: { number: number } } };
  return deployment.build.number;
}
