// What a new user does on the first day, with nothing but the packed packages in an empty folder.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import type { SpanRecord } from "@agate/protocol";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

const run = promisify(execFile);
const packages = join(import.meta.dirname, "../packages");
const TEXT = "One is first. Two is second. Three is third. Four is fourth. Five is fifth.";

/** With this Node as `node`, and packages from npm's cache where it has them. */
const env: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  npm_config_prefer_offline: "true",
  NO_COLOR: "1",
};

interface Answer {
  readonly data: string;
  readonly trace_id: string;
  readonly span_id: string;
}

describe("from an empty folder to production and back", () => {
  const parts = new AsyncDisposableStack();
  let folder: string;
  let project: string;
  let url: string;
  afterAll(() => parts.disposeAsync());

  /** The project's own `agate`, as `npx agate` would run it. */
  const agate = async (...args: string[]): Promise<string> => {
    const command = join(project, "node_modules/.bin/agate");
    const { stdout } = await run(command, args, {
      cwd: project,
      env: { ...env, AGATE_BASE_URL: url },
    });
    return stdout;
  };
  const json = async <Document>(...args: string[]): Promise<Document> =>
    JSON.parse(await agate(...args, "--json"));
  const post = async (path: string, body: object): Promise<Answer> => {
    const response = await fetch(url + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    return (await response.json()) as Answer;
  };
  const sentencesIn = ({ data }: Answer): number => data.split(". ").length;
  const callProduction = () =>
    post("/services/demo/run", { environment: "production", inputs: { text: TEXT } });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "agate-whole-way-"));
    parts.defer(() => rm(folder, { recursive: true, force: true }));
    const pack = ["pack", "--silent", join(packages, "sdk"), join(packages, "cli")];
    const [sdk = "", cli = ""] = (await run("npm", pack, { cwd: folder })).stdout
      .trim()
      .split("\n");
    await run("npm", ["install", "--no-audit", "--no-fund", "--no-save", `./${cli}`], {
      cwd: folder,
      env,
    });
    const tool = join(folder, "node_modules/.bin/agate");
    await run(tool, ["init", "demo", "--sdk", sdk, "--cli", cli], { cwd: folder, env });
    project = join(folder, "demo");
  }, 180_000);

  it("runs while it is developed", async () => {
    const command = join(project, "node_modules/.bin/agate");
    const dev = spawn(command, ["dev", "--port", "0", "--json"], {
      cwd: project,
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(dev, "exit");
    parts.defer(async () => {
      dev.kill("SIGTERM");
      expect(await ended).toEqual([0, null]);
    });
    for await (const line of createInterface(dev.stdout)) {
      const event = JSON.parse(line) as { event: string; url?: string };
      if (event.url !== undefined) url = event.url;
      if (event.event === "ready") break;
    }
    dev.stdout.resume();
    expect(sentencesIn(await post("/run", { inputs: { text: TEXT } }))).toBe(2);
  });

  it("takes a changed default over as soon as it is saved", async () => {
    const app = join(project, "app.ts");
    const source = await readFile(app, "utf8");
    await writeFile(app, source.replace("default: 2, ge: 1", "default: 3, ge: 1"));
    await vi.waitUntil(
      async () => sentencesIn(await post("/playground/run", { inputs: { text: TEXT } })) === 3,
      { timeout: 20_000 },
    );
  });

  it("tries a configuration out in the playground, and answers with its trace", async () => {
    const config = { sentences: 4, format: "bullets" };
    const answer = await post("/playground/run", { config, inputs: { text: TEXT } });
    expect(answer.data.split("\n")).toHaveLength(4);
    expect(answer).toMatchObject({ trace: { spankind: "WORKFLOW", config, status: "OK" } });
  });

  it("commits, deploys to staging and promotes to production", async () => {
    await agate("revisions", "commit", "demo", "default", "--set", "/.sentences=4", "-m", "More");
    const deployed = await json("deploy", "app.ts", "--environment", "staging");
    expect(deployed).toMatchObject({
      application: { slug: "demo" },
      build: { kind: "hosted", status: "live", environments: ["staging"] },
      deployment: { environment: "staging", variant: { slug: "default", revision: 2 } },
    });
    const promoted = await json("deployments", "promote", "demo", "staging", "production");
    expect(promoted).toMatchObject({ kind: "promotion", variant: { revision: 2 } });
  });

  it("answers in production, and says in every span which configuration that was", async () => {
    const answer = await callProduction();
    expect(sentencesIn(answer)).toBe(4);
    const variants = await json<{ items: { id: string }[] }>("variants", "list", "demo");
    const belonging = {
      environment: "production",
      variant: { variant_id: variants.items[0]?.id, variant_name: "default", revision: 2 },
      metadata: { application: "demo" },
    };
    const trace = await vi.waitUntil(() => read(`traces/${answer.trace_id}`), { timeout: 20_000 });
    expect(trace).toMatchObject({ ...belonging, children: [belonging] });
    const span = await fetch(`${url}/observability/spans/${trace.children?.[0]?.id}/`);
    expect(await span.json()).toMatchObject({ name: "pick-sentences", ...belonging });
    const drawn = await agate("trace", answer.trace_id);
    expect(drawn).toMatch(/demo · default@2 · production/);
    expect(drawn).toMatch(/└─ ✓ pick-sentences TASK/);
  });

  it("goes back to an earlier revision", async () => {
    await agate("deployments", "create", "demo", "production", "default@1");
    expect(sentencesIn(await vi.waitUntil(() => answerWith(3), { timeout: 20_000 }))).toBe(3);
    const back = await json("deployments", "rollback", "demo", "production");
    expect(back).toMatchObject({ kind: "rollback", variant: { revision: 2 } });
    await vi.waitUntil(() => answerWith(4), { timeout: 20_000 });
    const history = await json<{ items: { variant: { revision: number } }[] }>(
      "deployments",
      "list",
      "demo",
      "production",
    );
    expect(history.items.map(({ variant }) => variant.revision)).toEqual([2, 1, 2]);
  });

  async function read(path: string): Promise<SpanRecord | false> {
    const response = await fetch(`${url}/observability/${path}/`);
    return response.ok && ((await response.json()) as SpanRecord);
  }

  async function answerWith(sentences: number): Promise<Answer | false> {
    const answer = await callProduction();
    return sentencesIn(answer) === sentences && answer;
  }
});
