import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { beforeAll, expect, it } from "vitest";
import { sharedPostgres } from "../../packages/platform/src/stores/testing/shared-databases.fixture.ts";
import { deployClient } from "../deployments/deploy-client.fixture.ts";
import { openPacker } from "../deployments/pack-workflow.fixture.ts";
import { type RunningServer, startServer } from "../running-server.ts";

/** Its parts are searched for, too: each is a line, and has what JSON and URLs escape. */
const CANARY = ['canary-one-5b8efff7"&', "canary-two-98038103'ü"];
const SECRET = CANARY.join("\n");
const WORD = "canary-";

/** Leaks its secret in every way it can. */
const LEAKING = `import * as ag from "@agate/sdk";

class LeakConfig extends ag.BaseModel {
  word = ag.Field(ag.str, { default: "default" });
}

const step = ag.instrument({ name: "step" })(async (input: { token: string; json: string }) => [input]);

export const leak = ag.route("/leak", LeakConfig)(async () => {
  const token = process.env.TOKEN ?? "";
  const other = process.env.OTHER ?? "";
  console.log(token, JSON.stringify({ token }), encodeURIComponent(token));
  console.error(new Error(token));
  for (const line of token.split("\\n")) await step({ token: line, json: JSON.stringify({ line }) });
  await step({ token: encodeURIComponent(token), json: JSON.stringify(JSON.stringify([token])) });
  return { pid: process.pid, length: token.length, other };
});
`;

let archive: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  await using packer = await openPacker();
  archive = await packer.pack(LEAKING);
});

async function get(server: RunningServer, path: string): Promise<string> {
  return (await fetch(server.url + path)).text();
}

/** Sets the secret, runs the code that leaks it, and gives everything that clients can read. */
async function leakOn(server: RunningServer): Promise<{ answers: string; pid: number }> {
  const client = deployClient(server.url, "leaky");
  await fetch(`${server.url}/registry/applications`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ slug: "leaky" }),
  });
  const path = "/environments/production/variables";
  const set = { TOKEN: SECRET, OTHER: { value: "plain-value", plain: true } };
  const changed = await client.send("PATCH", path, { set });
  expect(changed.status, await changed.clone().text()).toBe(200);
  const deployed = await client.deploy(archive, "?environment=production");
  const answers = [await changed.text(), await deployed.text()];
  const called = await client.call("/run/leak", { inputs: {} });
  const text = await called.text();
  const { data } = JSON.parse(text) as { data: { pid: number; length: number; other: string } };
  // The code has it.
  expect(data, `${text} ${answers[1]}`).toMatchObject({
    length: SECRET.length,
    other: "plain-value",
  });
  // All spans of the call, of which the last comes at its end.
  await expect
    .poll(() => get(server, "/observability/spans/?limit=100"), { timeout: 30_000, interval: 200 })
    .toContain('"/leak"');
  await expect
    .poll(() => get(server, "/registry/applications/leaky/logs?tail=1000"), { timeout: 30_000 })
    .toContain("[secret:TOKEN]");
  for (const url of [
    "/observability/spans/?limit=100",
    "/observability/traces/?limit=100",
    "/registry/applications/leaky/logs?tail=1000",
    `/registry/applications/leaky${path}`,
    "/registry/applications/leaky/environments",
    "/registry/applications/leaky",
  ]) {
    answers.push(await get(server, url));
  }
  return { answers: [text, ...answers].join("\n"), pid: data.pid };
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function expectNothingInProcesses(...pids: readonly number[]): void {
  if (!existsSync("/proc/self/environ")) return;
  for (const pid of pids) {
    for (const file of ["environ", "cmdline"]) {
      expect(readFileSync(`/proc/${pid}/${file}`).includes(WORD), `${file} of ${pid}`).toBe(false);
    }
  }
}

it("is found nowhere: answers, logs, spans, files, backup and processes of a server with SQLite", async () => {
  await using server = await startServer();
  const { answers, pid } = await leakOn(server);
  expect(answers).toContain("[secret:TOKEN]");
  expect(answers).not.toContain(WORD);
  expectNothingInProcesses(pid, server.pid);
  const backup = Buffer.from(
    await (await fetch(`${server.url}/backups`, { method: "POST" })).arrayBuffer(),
  );
  expect(backup.includes("spans.db")).toBe(true);
  expect(backup.includes(WORD)).toBe(false);
  const key = readFileSync(join(server.dataDirectory, "secret.key"), "utf8").trim();
  expect(backup.includes("secret.key")).toBe(false);
  expect(backup.includes(key)).toBe(false);
  expect(server.log()).not.toContain(WORD);
  // While it runs, and what is left when it has ended.
  const files = () => filesBelow(server.dataDirectory);
  for (const file of files()) expect(readFileSync(file).includes(WORD), file).toBe(false);
  expect(await server.stop()).toBe(0);
  const left = files();
  expect(left.some((file) => file.endsWith("registry.db"))).toBe(true);
  for (const file of left) expect(readFileSync(file).includes(WORD), file).toBe(false);
});

it("is found nowhere in PostgreSQL, and is read by no server with another key", async () => {
  const database = await (await sharedPostgres()).createDatabase();
  const flags = ["--store", database.url, "--registry", database.url];
  const keys = [randomBytes(32), randomBytes(32)].map((key) => key.toString("base64"));
  const [first = "", second = ""] = keys;
  {
    await using server = await startServer({ flags });
    const client = deployClient(server.url, "leaky");
    await fetch(`${server.url}/registry/applications`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ slug: "leaky" }),
    });
    const path = "/environments/production/variables";
    const refused = await client.send("PATCH", path, { set: { TOKEN: SECRET } });
    expect([refused.status, await refused.text()]).toEqual([
      409,
      expect.stringContaining("AGATE_SECRET_KEY"),
    ]);
  }
  {
    await using server = await startServer({ flags, env: { AGATE_SECRET_KEY: first } });
    const { answers } = await leakOn(server);
    expect(answers).not.toContain(WORD);
    const dump = await dumpOf(database.url);
    expect(dump).toMatch(/TOKEN,1,1,v1\.[0-9a-f]{16}\./);
    expect(dump).not.toContain(WORD);
  }
  {
    await using server = await startServer({ flags, env: { AGATE_SECRET_KEY: second } });
    const ready = await fetch(`${server.url}/health/ready`);
    expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining('"secrets"')]);
    const path = "/registry/applications/leaky/environments/production/variables";
    expect(await get(server, path)).toContain('"unreadable"');
    const logs = "/registry/applications/leaky/logs?tail=1000";
    await expect
      .poll(() => get(server, logs), { timeout: 30_000 })
      .toContain("Its secret TOKEN cannot be read");
  }
  {
    const env = { AGATE_SECRET_KEY: `${second},${first}` };
    await using server = await startServer({ flags, env });
    const rekeyed = await fetch(`${server.url}/registry/rekey`, { method: "POST" });
    expect(await rekeyed.json()).toEqual({ rekeyed: 1, unreadable: 0 });
  }
  await using server = await startServer({ flags, env: { AGATE_SECRET_KEY: second } });
  const ready = async () => (await fetch(`${server.url}/health/ready`)).status;
  await expect.poll(ready, { timeout: 30_000 }).toBe(200);
  expect(await dumpOf(database.url)).not.toContain(WORD);
});

/** Every row of every table, as text. */
async function dumpOf(url: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      "SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE'",
    );
    const dumps: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ line: string; bytes: string }>(
        `SELECT each::text AS line FROM ${name} AS each`,
      );
      dumps.push(name, ...rows.map(({ line }) => readable(line)));
    }
    return dumps.join("\n");
  } finally {
    await client.end();
  }
}

/** With the bytes of a column as characters, too. */
function readable(line: string): string {
  const hex = [...line.matchAll(/\\x([0-9a-f]+)/g)].map(([, digits = ""]) => digits);
  return [line, ...hex.map((digits) => Buffer.from(digits, "hex").toString("latin1"))].join(" ");
}
