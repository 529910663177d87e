import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { PostgresAddress } from "../../packages/platform/src/stores/store-address.ts";
import type { PostgresDatabases } from "../../packages/platform/src/stores/testing/embedded-postgres.fixture.ts";
import { sharedPostgres } from "../../packages/platform/src/stores/testing/shared-databases.fixture.ts";
import { deployClient } from "../deployments/deploy-client.fixture.ts";
import { openPacker, support } from "../deployments/pack-workflow.fixture.ts";
import { expectRefusal, runAgate } from "../run-agate.ts";
import { startServer } from "../running-server.ts";
import { sendOtlp } from "../send-otlp.ts";
import { migrate } from "./migrating.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PRODUCTION = "/registry/applications/support/environments/production";
const REVISIONS = "/registry/applications/support/variants/default/revisions";
const CONFIG = "/registry/applications/support/config?environment=production";

let postgres: PostgresDatabases;
let database: PostgresAddress;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "agate-registry-copy-"));
  postgres = await sharedPostgres();
  database = await postgres.createDatabase();
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

type Ask = <Answer>(method: string, path: string, body?: object) => Promise<Answer>;

/** Asks a server with these headers; throws when it refuses. */
function asking(url: string, headers: Readonly<Record<string, string>>): Ask {
  return async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { "content-type": "application/json", ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
}

function withKey(key: string): { authorization: string } {
  return { authorization: `Bearer ${key}` };
}

/** One API key in each project. */
interface Keys {
  readonly everybody: string;
  readonly teamB: string;
}

/** Two projects, two applications, revisions with deployments, a build that serves, keys and a trace. */
async function fill(url: string): Promise<Keys> {
  const everybody = asking(url, {});
  await everybody("POST", "/registry/projects", { slug: "team-b" });
  const teamB = asking(url, { "agate-project": "team-b" });
  await teamB("POST", "/registry/applications", { slug: "billing" });

  await using packer = await openPacker();
  const archive = await packer.pack(support("one"));
  await deployClient(url).mustDeploy(archive, "?environment=development");
  await deployClient(url).mustDeploy(archive, "?environment=production");
  const { items } = await everybody<{ items: unknown[] }>("GET", REVISIONS);
  for (const [n, word] of ["first", "second"].entries()) {
    await everybody("POST", REVISIONS, {
      params: { "/say": { word } },
      message: `Say ${word}`,
      base_revision: items.length + n,
    });
    await everybody("POST", `${PRODUCTION}/deployments`, { variant: "default" });
  }
  await sendOtlp(
    url,
    [{ traceId: TRACE, spanId: "b7ad6b7169203331", name: "x", start: 1, end: 2 }],
    {
      project: "team-b",
    },
  );
  const keyOf = async (ask: Ask) => {
    const key = { name: "ci", scopes: ["admin"] };
    return (await ask<{ key: string }>("POST", "/registry/keys", key)).key;
  };
  return { everybody: await keyOf(everybody), teamB: await keyOf(teamB) };
}

/** Everything that can be asked for, as those who have the keys see it. */
async function documents(url: string, { everybody, teamB }: Keys): Promise<unknown[]> {
  const ask = asking(url, withKey(everybody));
  const askTeamB = asking(url, withKey(teamB));
  const app = "/registry/applications/support";
  return Promise.all([
    ...["/registry/projects", "/registry/applications", `${app}/environments`, REVISIONS].map(
      (path) => ask("GET", path),
    ),
    ...[`${app}/variants`, `${app}/deployments`, `${app}/builds`, `${app}/schema`, CONFIG].map(
      (path) => ask("GET", path),
    ),
    ...["/registry/applications", `/observability/traces/${TRACE}/`].map((path) =>
      askTeamB("GET", path),
    ),
  ]);
}

async function said(url: string, key: string): Promise<unknown> {
  const call = { inputs: { text: "x" }, environment: "production" };
  const response = await deployClient(url).call("/run/say", call, withKey(key));
  return ((await response.json()) as { data: unknown }).data;
}

it("takes everything to PostgreSQL and back, and servers go on with it", async () => {
  let keys: Keys;
  let before: unknown[];
  {
    await using server = await startServer({ dataDirectory: join(folder, "first") });
    keys = await fill(server.url);
    before = await documents(server.url, keys);
    expect(await server.stop()).toBe(0);
  }
  const env = { DATABASE: database.url };
  const there = await migrate(["sqlite:first", "env:DATABASE"], {
    command: "migrate-registry",
    folder,
    env,
  });
  expect(there.stderr).toBe("");
  expect(there.stdout).toMatch(
    /^TABLE +ROWS +SHA-256\nprojects +2 +[0-9a-f]{16}\nredaction_rules +0 +[0-9a-f]{16}\napi_keys +2 /,
  );
  expect(there.stdout).toMatch(
    /\nCopied \d+ rows, and the files of 1 build\. Both registries hold the same\.\n$/,
  );
  expect(there.code).toBe(0);
  const spans = await migrate(["sqlite:first", "env:DATABASE"], { folder, env });
  expect(spans.code, spans.stderr).toBe(0);

  let config: unknown;
  {
    const flags = ["--store", database.url, "--registry", database.url, "--require-key"];
    await using server = await startServer({ flags });
    expect((await fetch(`${server.url}/registry/projects`)).status).toBe(401);
    expect(await documents(server.url, keys)).toEqual(before);
    await expect.poll(() => said(server.url, keys.everybody)).toBe("one second x");

    const ask = asking(server.url, withKey(keys.everybody));
    const back = await ask<{ variant: { revision: number } }>("POST", `${PRODUCTION}/rollback`, {
      config_only: true,
    });
    await expect.poll(() => said(server.url, keys.everybody)).toBe("one first x");
    const latest = back.variant.revision + 1;
    const commit = { params: { "/say": { word: "third" } }, base_revision: latest };
    expect(await ask("POST", REVISIONS, commit)).toMatchObject({
      variant: { revision: latest + 1 },
    });
    config = await ask("GET", CONFIG);
    expect(await server.stop()).toBe(0);
  }
  const home = await migrate(["env:DATABASE", "sqlite:back", "--json"], {
    command: "migrate-registry",
    folder,
    env,
  });
  expect(home.stderr).toBe("");
  expect(JSON.parse(home.stdout)).toMatchObject({ copied_builds: 1, lost_builds: [] });
  await using server = await startServer({
    dataDirectory: join(folder, "back"),
    flags: ["--require-key"],
  });
  expect(await asking(server.url, withKey(keys.everybody))("GET", CONFIG)).toEqual(config);
  await expect.poll(() => said(server.url, keys.everybody)).toBe("one first x");
}, 180_000);

it("says which application has to be deployed again, as the files of its build are gone", async () => {
  await rm(join(folder, "first/builds"), { recursive: true });
  const { code, stdout, stderr } = await migrate(["sqlite:first", "sqlite:lost"], {
    command: "migrate-registry",
    folder,
  });
  expect(stdout).toMatch(/\nCopied \d+ rows\. Both registries hold the same\.\n$/);
  expect(stderr).toBe(
    "Build 1 of support in the project default is live in development and production, and its files are gone: it cannot start from the copy. Deploy it again.\n",
  );
  expect(code).toBe(0);
});

it("copies nothing when it is stopped by Ctrl-C", async () => {
  /** Who has, or waits for, the table that is looked at when a registry is opened. */
  const locks = (isGranted: boolean) =>
    postgres.query<{ pid: number }>(
      database,
      // Tables of other databases have the same oid.
      `SELECT pid FROM pg_locks JOIN pg_stat_activity USING (pid)
       WHERE datname = current_database()
         AND relation = 'agate.registry_migrations'::regclass AND granted = $1`,
      [isGranted],
    );
  const holding = postgres.query(
    database,
    "LOCK TABLE agate.registry_migrations; SELECT pg_sleep(600)",
  );
  const held = expect(holding).rejects.toThrow();
  await expect.poll(() => locks(true)).toHaveLength(1);
  const run = { command: "migrate-registry", folder, env: { DATABASE: database.url } } as const;
  const args = ["env:DATABASE", "sqlite:stopped"];
  const stopped = await migrate(args, {
    ...run,
    meanwhile: async (kill) => {
      await expect.poll(() => locks(false)).toHaveLength(1);
      kill("SIGINT");
      const [holder] = await locks(true);
      await postgres.query(database, "SELECT pg_terminate_backend($1)", [holder?.pid]);
      await held;
    },
  });
  expect(stopped).toMatchObject({
    code: null,
    signal: "SIGINT",
    stdout: "",
    stderr: "Stopped. Nothing was copied.\n",
  });
  expect(await migrate(args, run)).toMatchObject({ code: 0, stderr: "" });
});

it.each([
  [["sqlite:first"], 2, /Missing required argument 'to'/],
  [["sqlite:first", "clickhouse://h/a"], 2, /It must be sqlite:FOLDER or postgres:\/\/…/],
  [["env:NOWHERE", "sqlite:x"], 2, /\$NOWHERE is not set/],
  [["sqlite:first", "sqlite:./first"], 1, /Both addresses lead to the same registry/],
  [["sqlite:missing", "sqlite:x"], 1, /There is no registry\.db in missing\. Name the folder/],
  [["sqlite:first", "sqlite:back"], 1, /has projects, API keys, applications, .* already/],
])("refuses %j", async (args, code, reason) => {
  expectRefusal(await runAgate(["migrate-registry", ...args], { cwd: folder }), code, reason);
  expect(existsSync(join(folder, "x"))).toBe(false);
  expect(existsSync(join(folder, "missing"))).toBe(false);
});
