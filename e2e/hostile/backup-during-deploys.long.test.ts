import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clientOf } from "../command-line/agate-client.ts";
import { deployClient } from "../deployments/deploy-client.fixture.ts";
import { openPacker, support } from "../deployments/pack-workflow.fixture.ts";
import { runAgate } from "../run-agate.ts";
import { startServer } from "../running-server.ts";
import { sendSpans } from "../sent-span.ts";

const BACKUPS = 3;

let folder: string;
let packer: Awaited<ReturnType<typeof openPacker>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "agate-backups-"));
  packer = await openPacker();
});
afterAll(async () => {
  await packer[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const traceIdOf = (n: number) => n.toString(16).padStart(32, "0");

/** Deploys, makes keys and sends spans without a pause until it is told to stop. */
function changeConstantly(url: string) {
  const client = deployClient(url);
  const done = { traces: [] as number[], keys: [] as string[], words: new Map<number, string>() };
  let isStopped = false;
  const repeatedly = async (step: (n: number) => Promise<void>) => {
    for (let n = 0; !isStopped; n++) await step(n);
  };
  const work = Promise.all([
    repeatedly(async (n) => {
      // The same archive would be the same build.
      const word = `word-${n}`;
      const archive = await packer.pack(support(word));
      const { build } = await client.mustDeploy(archive, "?environment=production");
      done.words.set(build.number, word);
    }),
    repeatedly(async (n) => {
      const name = `key ${n}`;
      const response = await fetch(`${url}/registry/keys`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ name, scopes: ["read"] }),
      });
      await response.text();
      if (response.ok) done.keys.push(name);
    }),
    repeatedly(async (n) => {
      const span = { traceId: traceIdOf(n + 1), spanId: "0".repeat(15).concat("1") };
      const start = 1_790_000_000_000_000 + n;
      const spans = [{ ...span, parentSpanId: null, name: `work ${n}`, start, inputs: "words" }];
      if ((await sendSpans(url, spans)) === 200) done.traces.push(n + 1);
    }),
  ]);
  return {
    done,
    stop: async () => {
      isStopped = true;
      await work;
    },
  };
}

async function json(address: string): Promise<unknown> {
  const response = await fetch(address);
  expect(response.status, address).toBe(200);
  return response.json();
}

describe("backups that are taken while builds are deployed and swept", () => {
  it(`restore to a platform whose parts fit together (${BACKUPS} of them)`, async () => {
    await using server = await startServer();
    const changes = changeConstantly(server.url);
    const { done } = changes;
    const taken: { file: string; traces: number[]; keys: string[]; builds: number }[] = [];
    for (let n = 0; n < BACKUPS; n++) {
      await expect.poll(() => done.words.size, { timeout: 60_000 }).toBeGreaterThan(2 * n);
      const file = join(folder, `${n}.tar`);
      const before = {
        traces: [...done.traces],
        keys: [...done.keys],
        builds: Math.max(...done.words.keys()),
      };
      const { code, stdout, stderr } = await clientOf(server.url)("backup", file, "--json");
      expect(code, stderr).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ lost_builds: [] });
      taken.push({ file, ...before });
    }
    await changes.stop();
    await server.stop();

    for (const { file, traces, keys, builds } of taken) {
      const restored = `${file}.data`;
      const outcome = await runAgate(["restore", file, "--data-dir", restored]);
      expect(outcome.code, outcome.stderr).toBe(0);
      expect(await runAgate(["check", "--data-dir", restored])).toMatchObject({ code: 0 });
      await using again = await startServer({ dataDirectory: restored });
      const list = (await json(`${again.url}/registry/applications/support/builds`)) as {
        readonly items: readonly { readonly number: number; readonly status: string }[];
      };
      const live = list.items.filter(({ status }) => status === "live");
      expect(live).toHaveLength(1);
      const number = live[0]?.number ?? 0;
      expect(number).toBeGreaterThanOrEqual(builds);
      const say = async () => {
        const answer = await deployClient(again.url).call("/run/say", { inputs: { text: "hi" } });
        return ((await answer.json()) as { data?: string }).data;
      };
      // It starts with the server.
      await expect.poll(say, { timeout: 30_000 }).toBe(`${done.words.get(number)} default hi`);
      for (const n of traces) await json(`${again.url}/observability/traces/${traceIdOf(n)}/`);
      const found = (await json(`${again.url}/registry/keys`)) as { items: { name: string }[] };
      expect(found.items.map(({ name }) => name)).toEqual(expect.arrayContaining(keys));
    }
  }, 120_000);
});
