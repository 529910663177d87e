import { DatabaseSync } from "node:sqlite";
import { Kysely, sql } from "kysely";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import {
  MOST_BOUND_CHARACTERS,
  MOST_STATEMENTS,
  NodeSqliteDatabase,
  NodeSqliteDialect,
} from "./node-sqlite-dialect.ts";

let file: DatabaseSync;
let db: Kysely<{ notes: { id: number; text: string } }>;
/** What SQLite was asked to prepare. */
let prepared: string[];
beforeEach(async () => {
  file = new DatabaseSync(":memory:");
  prepared = [];
  const prepare = file.prepare.bind(file);
  vi.spyOn(file, "prepare").mockImplementation((text, options) => {
    prepared.push(text);
    return prepare(text, options);
  });
  db = new Kysely({ dialect: new NodeSqliteDialect(new NodeSqliteDatabase(file)) });
  await sql`create table notes (id integer primary key, text text not null)`.execute(db);
  prepared = [];
});
afterEach(() => db.destroy());

const add = (text: string) =>
  db
    .insertInto("notes")
    .values({ text } as never)
    .execute();
const textOf = async (id: number) =>
  (await db.selectFrom("notes").select("text").where("id", "=", id).executeTakeFirst())?.text;

it("prepares a statement once, and binds anew each time", async () => {
  await add("one");
  await add("two");
  expect([await textOf(1), await textOf(2), await textOf(3)]).toEqual(["one", "two", undefined]);
  expect(prepared).toHaveLength(2);
  for (let n = 0; n < 3; n++) {
    await db.transaction().execute((tx) => tx.selectFrom("notes").selectAll().execute());
  }
  // The same with a transaction: its beginning, its query and its end.
  expect(prepared).toHaveLength(5);
});

it("reads the columns that a table has now", async () => {
  await add("one");
  const all = () => db.selectFrom("notes").selectAll().execute();
  expect(await all()).toEqual([{ id: 1, text: "one" }]);
  await sql`alter table notes add column mood text default 'good'`.execute(db);
  expect(await all()).toEqual([{ id: 1, text: "one", mood: "good" }]);
});

it("keeps the statements that were used last", async () => {
  const select = (n: number) => sql.raw<{ n: number }>(`select ${n} as n`).execute(db);
  for (let n = 0; n < MOST_STATEMENTS; n++) await select(n);
  await select(0);
  expect(prepared).toHaveLength(MOST_STATEMENTS);
  // One more than are kept takes the place of the one that was not used for longest.
  await select(MOST_STATEMENTS);
  await select(0);
  expect(prepared).toHaveLength(MOST_STATEMENTS + 1);
  await select(1);
  expect(prepared).toHaveLength(MOST_STATEMENTS + 2);
});

it("does not keep a statement with the long texts that were bound to it", async () => {
  for (const length of [MOST_BOUND_CHARACTERS, 1]) await add("x".repeat(length));
  expect(prepared).toHaveLength(1);
  for (const length of [MOST_BOUND_CHARACTERS + 1, 1]) await add("x".repeat(length));
  expect(prepared).toHaveLength(2);
  expect((await textOf(3))?.length).toBe(MOST_BOUND_CHARACTERS + 1);
});

it("prepares pragmas and changes of tables each time", async () => {
  for (const version of [1, 2, 1]) {
    await sql.raw(`pragma user_version = ${version}`).execute(db);
    const { rows } = await sql<{ user_version: number }>`pragma user_version`.execute(db);
    expect(rows).toEqual([{ user_version: version }]);
  }
  expect(prepared).toHaveLength(6);
});

it("reads to the end, and again, what a stream was broken off in", async () => {
  for (const text of ["one", "two", "three"]) await add(text);
  const query = db.selectFrom("notes").select("text").orderBy("id");
  const texts: string[] = [];
  for await (const { text } of query.stream()) {
    texts.push(text);
    if (texts.length === 2) break;
  }
  await add("four");
  for await (const { text } of query.stream()) texts.push(text);
  expect(texts).toEqual(["one", "two", "one", "two", "three", "four"]);
});
