import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { beforeAll, expect, it } from "vitest";
import { sharedPostgres } from "../../packages/platform/src/stores/testing/shared-databases.fixture.ts";
import { deployClient } from "../deployments/deploy-client.fixture.ts";
import { openPacker } from "../deployments/pack-workflow.fixture.ts";
import { startServer } from "../running-server.ts";
import { get, LEAKING, leakOn, SECRET, WORD } from "./leaking-app.ts";

let archive: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  await using packer = await openPacker();
  archive = await packer.pack(LEAKING);
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
    const { answers } = await leakOn(server, archive);
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
