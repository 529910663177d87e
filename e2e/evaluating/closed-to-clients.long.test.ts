import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { emptyDataFolder } from "../data-folder.ts";
import { startProgram } from "../opentelemetry/running-program.ts";
import { followDockerfile, isHealthy } from "../packing/follow-dockerfile.fixture.ts";
import { freePort } from "../packing/free-port.fixture.ts";
import { makeFolder } from "../packing/user-project.fixture.ts";
import { runInProcess } from "../run-in-process.ts";
import { startServer } from "../running-server.ts";
import { type EvaluatedProject, MARK, makeEvaluatedProject } from "./closed-to-clients.fixture.ts";

const SCOPES = ["run", "playground", "score", "read"] as const;
/** `none`: without a key. */
type Client = (typeof SCOPES)[number] | "none";
const CLIENTS: readonly Client[] = ["none", ...SCOPES];

/** Where a client can reach the workflow. All but the gateway leave keys to a proxy before them. */
const PLACES = ["gateway", "ag.serve", "Hono", "Express", "container"] as const;
type Place = (typeof PLACES)[number];

const ITEM = { run: "mine", case: "one", trial: 0 };
/** As a runner writes it, as one that no evaluator could read, and with the code's own configuration. */
const CLAIMS = [
  encodeURIComponent(JSON.stringify(ITEM)),
  "mine",
  encodeURIComponent(JSON.stringify({ ...ITEM, column: "candidate", config: "code" })),
];

/** Every path of an evaluator, and spellings of them that servers read in different ways. */
const EVALUATOR_PATHS = [
  "/evaluations",
  "/evaluations/",
  "//evaluations",
  "/%65valuations",
  "/run/..%2fevaluations",
  "/run/evaluations",
  "/evaluations/quality/check",
  "/evaluations/quality/score",
  "/evaluations/quality%2Fscore",
  "/playground/run/evaluations/quality/score",
];

const BODIES = {
  check: { rows: [{ id: "one", inputs: { text: "hi" } }] },
  score: { ...ITEM, inputs: { text: "hi" }, output: { text: "hi" }, span: null },
};

let project: EvaluatedProject;
const keys: Partial<Record<Client | "admin" | "workflow", string>> = {};
const urls: Partial<Record<Place, string>> = {};
let platform: string;
const parts = new AsyncDisposableStack();

beforeAll(async () => {
  project = parts.use(await makeEvaluatedProject());
  const data = parts.use(await emptyDataFolder());
  const scopes = { admin: "admin,deploy", workflow: "ingest,read" };
  for (const [name, scope] of [
    ...Object.entries(scopes),
    ...SCOPES.map((scope) => [scope, scope] as const),
  ]) {
    const args = ["keys", "create", name, "--scope", scope, "--data-dir", data.path];
    const { code, stdout, stderr } = await runInProcess(args);
    expect(code, stderr).toBe(0);
    keys[name as Client] = stdout.trim();
  }
  const place = { dataDirectory: data.path, flags: ["--require-key"] };
  const server = parts.use(await startServer(place));
  platform = server.url;
  await deployToPlatform();
  urls.gateway = `${platform}/services/desk`;

  const env = workflowVariables();
  for (const [name, file] of [
    ["ag.serve", "serve.ts"],
    ["Hono", "hono.ts"],
    ["Express", "express.ts"],
  ] as const) {
    urls[name] = parts.use(await startProgram(file, { folder: project.folder, env })).url;
  }
  urls.container = await startContainer("image");
});
afterAll(() => parts.disposeAsync());

/** Of a workflow outside of the platform, that sends its spans there. */
function workflowVariables(): Record<string, string> {
  return {
    AGATE_BASE_URL: platform,
    AGATE_API_KEY: keys.workflow ?? "",
    AGATE_APPLICATION: "desk",
    AGATE_ENVIRONMENT: "production",
    NODE_ENV: "production",
  };
}

async function agate(...args: readonly string[]): Promise<void> {
  const env = { ...process.env, AGATE_BASE_URL: platform, AGATE_API_KEY: keys.admin };
  const { code, stderr } = await runInProcess(args, { env });
  expect(code, stderr).toBe(0);
}

async function deployToPlatform(): Promise<void> {
  await agate("deploy", join(project.folder, "app.ts"), "--environment", "production");
  await agate("environments", "playground", "desk", "production", "on");
}

/** Builds an image's folder, and runs what is in it as a container would. */
async function startContainer(out: string): Promise<string> {
  const port = await freePort();
  const folder = join(project.folder, out);
  const flags = ["--target", "docker", "--out", folder, "--port", String(port)];
  await agate("build", join(project.folder, "app.ts"), ...flags);
  const root = parts.use(await makeFolder());
  const image = await followDockerfile(folder, root.path);
  const [, ...args] = image.command;
  const env = { ...image.env, ...workflowVariables() };
  const container = spawn(process.execPath, args, { cwd: image.folder, env, stdio: "ignore" });
  parts.defer(async () => {
    container.kill("SIGKILL");
    await once(container, "exit");
  });
  await vi.waitFor(async () => expect(await isHealthy(image)).toBe(true), { timeout: 20_000 });
  return `http://127.0.0.1:${port}`;
}

interface Sent {
  readonly place: Place;
  readonly client: Client;
  readonly path: string;
  readonly method?: string;
  readonly body?: object;
  readonly claim?: string | undefined;
}

async function send({ place, client, path, method = "POST", body, claim }: Sent) {
  const response = await fetch(`${urls[place]}${path}`, {
    method,
    headers: {
      "content-type": "application/json",
      ...(client !== "none" && { authorization: `Bearer ${keys[client]}` }),
      ...(claim !== undefined && { "agate-run": claim }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text };
}

/** The gateway answers by scope: the paths are the workflow's own to it, or those of the playground. */
function refusal({ place, client, path }: Sent): number {
  if (place !== "gateway") return 404;
  if (client === "none") return 401;
  return client === (path.startsWith("/playground/") ? "playground" : "run") ? 404 : 403;
}

it.each(PLACES)("%s has no path of an evaluator for any key", async (place) => {
  for (const client of CLIENTS) {
    for (const path of EVALUATOR_PATHS) {
      const body = path.endsWith("check") ? BODIES.check : BODIES.score;
      const requests = [{ method: "GET" }, { body }, { body, claim: CLAIMS[0] }] as const;
      for (const request of requests) {
        const sent: Sent = { place, client, path, ...request };
        const { status } = await send(sent);
        expect([sent, status]).toEqual([sent, refusal(sent)]);
      }
    }
  }
});

/** Who may call what at the gateway; elsewhere every client may. */
const MAY: Readonly<Record<string, readonly Client[]>> = {
  "/run/act": ["run"],
  "/playground/run/act": ["playground"],
};

it("the header agate-run changes nothing in any call: neither its answer nor what is recorded", async () => {
  const traces: string[] = [];
  for (const place of PLACES) {
    for (const client of CLIENTS) {
      for (const [path, clients] of Object.entries(MAY)) {
        const isAllowed = place !== "gateway" || clients.includes(client);
        for (const claim of [undefined, ...CLAIMS]) {
          const sent = { place, client, path, body: { inputs: { text: "hi" } }, claim };
          const { status, text } = await send(sent);
          if (!isAllowed) {
            expect([sent, status]).toEqual([sent, client === "none" ? 401 : 403]);
            continue;
          }
          expect([sent, status]).toEqual([sent, 200]);
          const { data, trace_id: traceId } = JSON.parse(text);
          expect(data).toEqual({ text: "hi", evaluation: null, inner: null, evals: null });
          traces.push(traceId);
        }
      }
    }
  }
  // Two endpoints at the gateway for one key each, and everywhere else for all clients.
  expect(traces).toHaveLength((2 + 4 * 5 * 2) * 4);
  await expect.poll(() => listed("traffic=live"), { timeout: 20_000 }).toEqual(traces.toSorted());
  expect(await listed("traffic=evaluation")).toEqual([]);
  expect(await listed("run=mine")).toEqual([]);
  expect(await read("/observability/analytics/")).toMatchObject({
    total: { count: traces.length },
  });
  const tree = await read(`/observability/traces/${traces.at(-1)}/`);
  expect(JSON.stringify(tree)).not.toMatch(/ag\.evaluation|"mine"/);
});

// biome-ignore lint/suspicious/noExplicitAny: answers of several routes
async function read(path: string): Promise<any> {
  const headers = { authorization: `Bearer ${keys.read}` };
  const response = await fetch(`${platform}${path}`, { headers });
  expect([path, response.status]).toEqual([path, 200]);
  return response.json();
}

async function listed(filter: string): Promise<readonly string[]> {
  const { items } = await read(`/observability/traces/?limit=500&${filter}`);
  return items.map((item: { trace_id: string }) => item.trace_id).sort();
}

it("no file of a container has a line of an eval file, and one that throws keeps none from starting", async () => {
  await project.write("app.eval.ts", `import "./app.ts";\nthrow new Error("${MARK}");\n`);
  await startContainer("thrown");
  for (const folder of ["image", "thrown"]) {
    const entries = await readdir(join(project.folder, folder), {
      recursive: true,
      withFileTypes: true,
    });
    const files = entries.filter((entry) => entry.isFile());
    expect(files.map(({ name }) => name)).toContain("app.js");
    for (const { parentPath, name } of files) {
      const content = await readFile(join(parentPath, name));
      expect(content.includes(MARK), name).toBe(false);
    }
  }
});
