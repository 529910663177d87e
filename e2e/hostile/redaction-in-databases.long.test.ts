import { zstdDecompressSync } from "node:zlib";
import { expect, it } from "vitest";
import {
  sharedChdb,
  startPostgres,
} from "../../packages/platform/src/stores/testing/shared-databases.fixture.ts";
import { startServer } from "../running-server.ts";
import { filesOf, plantedIn, REPLACEMENT, sayPlanted } from "./planted-values.ts";

/** What a place in a database holds. */
interface Stored {
  readonly place: string;
  readonly content: string | Buffer;
}

function expectNothingPlanted(stored: readonly Stored[]): void {
  for (const { place, content } of stored) expect(plantedIn(content), place).toEqual([]);
}

/** Begins what Zstandard has packed. */
const PACKED = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

it("stores nothing of what the rules name in PostgreSQL: not in a row, its packed bytes or a file", async () => {
  const postgres = await startPostgres();
  try {
    const database = await postgres.createDatabase();
    await using server = await startServer({
      flags: ["--store", database.url, "--registry", database.url],
    });
    const told = await sayPlanted(server);
    expectNothingPlanted(told.map((content) => ({ place: "told", content })));

    const query = <Row>(sql: string) => postgres.query<Row>(database, sql);
    const tables = await query<{ name: string }>(
      `SELECT format('%I.%I', n.nspname, c.relname) AS name
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE c.relkind IN ('r', 'm') AND n.nspname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const rows: Stored[] = [];
    const unpacked: Stored[] = [];
    for (const { name: place } of tables) {
      for (const { row } of await query<{ row: string }>(`SELECT t::text AS row FROM ${place} t`)) {
        rows.push({ place, content: row });
      }
      const columns = await query<{ name: string }>(
        `SELECT quote_ident(attname) AS name FROM pg_attribute
         WHERE attrelid = '${place}'::regclass AND atttypid = 'bytea'::regtype AND NOT attisdropped`,
      );
      for (const { name } of columns) {
        const cells = await query<{ bytes: Buffer }>(
          `SELECT ${name} AS bytes FROM ${place} WHERE ${name} IS NOT NULL`,
        );
        for (const { bytes } of cells) {
          rows.push({ place, content: bytes });
          if (!bytes.subarray(0, 4).equals(PACKED)) continue;
          unpacked.push({ place: `${place}.${name}`, content: zstdDecompressSync(bytes) });
        }
      }
    }
    expectNothingPlanted(rows);
    expectNothingPlanted(unpacked);
    // Both ways of looking find what stands in place of the values.
    expect(rows.some(({ content }) => content.includes("[redacted:email]"))).toBe(true);
    expect(unpacked.some(({ content }) => content.includes(REPLACEMENT))).toBe(true);

    // The log of transactions, and rows that are dead.
    const [folder] = await query<{ data_directory: string }>("SHOW data_directory");
    await postgres.stop();
    const files = filesOf(folder?.data_directory ?? "");
    expect(files.some(({ bytes }) => bytes.includes("[redacted:email]"))).toBe(true);
    expectNothingPlanted(files.map(({ name, bytes }) => ({ place: name, content: bytes })));
  } finally {
    await postgres.dispose();
  }
});

it("stores nothing of what the rules name in ClickHouse: not in a part, before merges or after", async () => {
  const chdb = await sharedChdb();
  const name = "agate_redaction";
  const { url, username, password } = chdb.address(name);
  const ask = async (sql: string): Promise<string> => {
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
    const response = await fetch(url, { method: "POST", headers: { authorization }, body: sql });
    const text = await response.text();
    expect(response.status, text).toBe(200);
    return text;
  };
  await using server = await startServer({ flags: ["--store", chdb.url(name)] });
  const told = await sayPlanted(server);
  expectNothingPlanted(told.map((content) => ({ place: "told", content })));

  const tables = (
    await ask(
      `SELECT name FROM system.tables
       WHERE database = '${name}' AND engine LIKE '%MergeTree' FORMAT TabSeparated`,
    )
  )
    .trim()
    .split("\n");
  expect(tables).toEqual(expect.arrayContaining(["spans", "spans_by_start", "traces"]));
  // Without FINAL: rows that a merge will drop are there as well.
  const dump = async (): Promise<Stored[]> => {
    const stored: Stored[] = [];
    for (const table of tables) {
      const sql = `SELECT * FROM ${name}.${table} FORMAT JSONEachRow
        SETTINGS asterisk_include_materialized_columns = 1, asterisk_include_alias_columns = 1`;
      stored.push({ place: table, content: (await ask(sql)).replaceAll("\\/", "/") });
    }
    return stored;
  };
  const before = await dump();
  expectNothingPlanted(before);
  for (const table of tables) await ask(`OPTIMIZE TABLE ${name}.${table} FINAL`);
  const after = await dump();
  expectNothingPlanted(after);
  for (const stored of [before, after]) {
    const spans = stored.find(({ place }) => place === "spans");
    expect(spans?.content).toContain(REPLACEMENT);
  }
  // What the engine knows of parts and columns beside their rows.
  const parts = await ask(
    `SELECT * FROM system.parts WHERE database = '${name}' FORMAT JSONEachRow`,
  );
  expect(parts).toContain('"spans"');
  expect(plantedIn(parts)).toEqual([]);
  // The registry and its rules are in the server's own folder.
  const files = filesOf(server.dataDirectory);
  expectNothingPlanted(files.map((file) => ({ place: file.name, content: file.bytes })));
});
