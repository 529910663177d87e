import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openChdbEngine } from "../testing/chdb-engine.fixture.ts";
import { ClickHouseSession } from "./clickhouse-session.ts";
import type { NativeColumn } from "./native-block.ts";
import { nativeBlock } from "./native-block.ts";

const engine = openChdbEngine();
const address = engine.address();
const session = new ClickHouseSession(engine.connect(), address);

type Row = readonly unknown[];
/** A column of each type, and one that ClickHouse converts a text for. */
const COLUMNS = (
  [
    ["n", "Int64"],
    ["text", "String"],
    ["perhaps", "Nullable(String)"],
    ["few", "String"],
    ["perhaps_few", "Nullable(String)"],
    ["small", "UInt16"],
    ["large", "UInt64"],
    ["whole", "Nullable(Int64)"],
    ["real", "Nullable(Float64)"],
  ] as const
).map(([name, type], n): NativeColumn<Row> => ({ name, type, value: (row) => row[n] }));
const NAMES = COLUMNS.map(({ name }) => name) as [string, ...string[]];
const TABLES = ["as_json", "as_block"] as const;

beforeAll(async () => {
  await session.command(`CREATE DATABASE \`${address.database}\``);
  for (const table of TABLES) {
    await session.command(`CREATE TABLE ${session.table(table)} (
      n Int64, text String, perhaps Nullable(String), few LowCardinality(String),
      perhaps_few LowCardinality(Nullable(String)), small UInt16, large UInt64,
      whole Nullable(Int64), real Nullable(Float64)) ENGINE = Memory`);
  }
});
afterAll(async () => {
  await session.close();
  await engine.dispose();
});

/** Writes rows in both formats, and expects that the same is read. */
async function expectSame(rows: readonly Row[]): Promise<void> {
  for (const table of TABLES) await session.command(`TRUNCATE TABLE ${session.table(table)}`);
  const numbered = rows.map((row, n) => [n, ...row]);
  // JSON cannot hold a lone surrogate: the database would refuse it.
  const wellFormed = numbered.map((row) =>
    row.map((value) => (typeof value === "string" ? value.toWellFormed() : value)),
  );
  await session.insert("as_json", NAMES, wellFormed);
  // Every second row has its texts as bytes.
  const blockRows = numbered.map((row, n) =>
    row.map((value) => (n % 2 === 1 && typeof value === "string" ? Buffer.from(value) : value)),
  );
  await session.insertBlock("as_block", COLUMNS, blockRows);
  const [json, block] = await Promise.all(
    TABLES.map((table) =>
      session.rows(`SELECT ${NAMES.join(", ")} FROM ${session.table(table)} ORDER BY n`),
    ),
  );
  expect(block).toHaveLength(rows.length);
  expect(block).toEqual(json);
}

it("stores what JSON would store", async () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("", "\0", "\ud800", "a\udc00b", "'\\\n\t;", "😀", "é".repeat(70)),
    fc.nat(300).map((length) => "x".repeat(length)),
  );
  const whole = fc.oneof(fc.maxSafeInteger(), fc.constantFrom(-1, 0, 2 ** 32, -(2 ** 32), 2 ** 31));
  const real = fc.oneof(
    fc.double(),
    fc.constantFrom(NaN, Infinity, -Infinity, -0, 0.1, 5e-324, 1.7976931348623157e308),
  );
  const row = fc.tuple(
    text,
    fc.option(text),
    text,
    fc.option(text),
    fc.nat(65_535),
    fc.nat(Number.MAX_SAFE_INTEGER),
    fc.option(whole),
    fc.option(real),
  );
  await fc.assert(fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 30 }), expectSame), {
    numRuns: 6,
  });
});

it("stores texts of every length, within a piece of memory and beyond it", async () => {
  const lengths = [127, 128, 16_383, 16_384, 2 ** 20 - 11, 2 ** 20, 2 ** 21, 10_000_000];
  const rows = lengths.map((length, n) => {
    const text = (n % 2 === 0 ? "a" : "ü").repeat(length);
    return [text, length > 2 ** 20 ? null : text, "", null, n, n, n, n / 3];
  });
  await expectSame(rows);
});

it("writes to one piece of memory until it is full", () => {
  const column: NativeColumn<string | Buffer> = { name: "t", type: "String", value: (row) => row };
  const head = Buffer.concat(nativeBlock([column], [])).length;
  // Room for the longest length is reserved before a text.
  const room = 2 ** 20 - head - 10;
  for (const text of [(length: number) => "x".repeat(length), Buffer.alloc]) {
    const pieces = (length: number) => nativeBlock([column], [text(length)]);
    expect(pieces(room)).toHaveLength(1);
    expect(pieces(room + 1).map(({ length }) => length)).toEqual([head, room + 1 + 3]);
    expect(pieces(2 ** 21).at(-1)).toHaveLength(2 ** 21 + 4);
  }
});

it("inserts nothing where there is nothing", async () => {
  await session.command(`TRUNCATE TABLE ${session.table("as_block")}`);
  await session.insertBlock("as_block", COLUMNS, []);
  expect(await session.rows(`SELECT count() FROM ${session.table("as_block")}`)).toEqual([[0]]);
});
