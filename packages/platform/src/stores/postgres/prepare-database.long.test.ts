import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { storedSpan } from "../contract/stored-span.fixture.ts";
import { openSpanStore } from "../open-span-store.ts";
import type { SpanStore } from "../span-store.ts";
import type { PostgresAddress } from "../store-address.ts";
import type { PostgresDatabases } from "../testing/embedded-postgres.fixture.ts";
import { sharedPostgres } from "../testing/shared-databases.fixture.ts";
import { openPostgresAppender } from "./postgres-appender.ts";
import { prepareSpanDatabase } from "./prepare-database.ts";
import { MIGRATIONS } from "./span-schema.ts";

let server: PostgresDatabases;
let address: PostgresAddress;

beforeAll(async () => {
  server = await sharedPostgres();
});
beforeEach(async () => {
  address = await server.createDatabase();
});

/** The address for a new login, whose name begins with that of its database. */
async function loginOf(suffix: string): Promise<{ login: string; as: PostgresAddress }> {
  const login = `${new URL(address.url).pathname.slice(1)}_${suffix}`;
  await server.query(address, `CREATE ROLE ${login} LOGIN PASSWORD 'p@ss/word'`);
  return { login, as: { ...address, url: address.url.replace("agate:", `${login}:`) } };
}

const open = (at: PostgresAddress): Promise<SpanStore> =>
  openSpanStore(at, { onFailure: (error) => expect.fail(String(error)) });

/** Why a store cannot be opened. */
async function refusal(at: PostgresAddress): Promise<string> {
  const error = await open(at).then(
    () => expect.fail("It was opened."),
    (reason: unknown) => reason as Error,
  );
  expect(error.name).toBe("StoreRefusalError");
  expect(error.message).not.toContain("p@ss");
  expect(error.message).not.toContain("p%40ss");
  return error.message;
}

describe("opening spans in PostgreSQL", () => {
  it("lets ten servers make the tables at once", async () => {
    const stores = await Promise.all(Array.from({ length: 10 }, () => open(address)));
    expect(await server.query(address, "SELECT version FROM agate.span_schema")).toEqual([
      { version: MIGRATIONS.length },
    ]);
    await Promise.all(stores.map((store) => store.close()));
  });

  it("takes older tables further, all of a step or nothing of it", async () => {
    await prepareSpanDatabase(address);
    const broken = [...MIGRATIONS, "CREATE TABLE agate.half (); SELECT nonsense"];
    await expect(prepareSpanDatabase(address, broken)).rejects.toThrow("nonsense");
    expect(await server.query(address, "SELECT to_regclass('agate.half') AS half")).toEqual([
      { half: null },
    ]);
    await prepareSpanDatabase(address, [...MIGRATIONS, "CREATE TABLE agate.whole ()"]);
    expect(await server.query(address, "SELECT version FROM agate.span_schema")).toEqual([
      { version: MIGRATIONS.length + 1 },
    ]);
  });

  it.each([
    [4, "takes older tables further"],
    [5, "gives up, and can be started again"],
  ])("after %i deadlocks that a migration lost: %s", async (deadlocks, outcome) => {
    await prepareSpanDatabase(address);
    // Of a sequence, the rollback leaves how often it was asked.
    await server.query(address, "CREATE SEQUENCE attempts");
    const losing = `DO $$BEGIN IF nextval('attempts') <= ${deadlocks} THEN
      RAISE EXCEPTION 'lost' USING ERRCODE = 'deadlock_detected'; END IF; END$$`;
    const prepared = prepareSpanDatabase(address, [...MIGRATIONS, losing]);
    const isTaken = outcome.startsWith("takes");
    if (isTaken) await prepared;
    else await expect(prepared).rejects.toThrow("because of a concurrent one. Try again later.");
    expect(await server.query(address, "SELECT last_value::int AS n FROM attempts")).toEqual([
      { n: 5 },
    ]);
    expect(await server.query(address, "SELECT version FROM agate.span_schema")).toEqual([
      { version: MIGRATIONS.length + (isTaken ? 1 : 0) },
    ]);
  });

  it("refuses tables of a newer version, and changes nothing", async () => {
    const known = MIGRATIONS.length;
    await server.query(
      address,
      `CREATE SCHEMA agate; CREATE TABLE agate.span_schema AS SELECT ${known + 1} AS version`,
    );
    expect(await refusal(address)).toBe(
      `${address.shown} was written by a newer version of Agate (schema ${known + 1}; this one knows ${known}). Nothing was changed: upgrade Agate.`,
    );
    expect(await server.query(address, "SELECT to_regclass('agate.traces') AS traces")).toEqual([
      { traces: null },
    ]);
  });

  it("says what to do where there is no such database, login or server", async () => {
    expect(await refusal(server.address("nowhere"))).toMatch(
      /^There is no database at postgres:\/\/agate@127\.0\.0\.1:\d+\/nowhere\. Create it with CREATE DATABASE "nowhere"/,
    );
    const wrong = { ...address, url: address.url.replace("p%40ss", "p%40st") };
    expect(await refusal(wrong)).toMatch(/correct the user and the password/);
    const unreachable = { ...address, url: address.url.replace(`:${server.port}`, ":1") };
    expect(await refusal(unreachable)).toMatch(/The database cannot be reached\. Start it/);
  });

  it("refuses a database that cannot hold every character", async () => {
    const name = `${new URL(address.url).pathname.slice(1)}_latin`;
    await server.query(
      address,
      `CREATE DATABASE ${name} ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0`,
    );
    expect(await refusal(server.address(name))).toContain(
      "has the encoding LATIN1: create one with ENCODING 'UTF8' TEMPLATE template0.",
    );
  });

  it("needs the right to make tables, and to add to them", async () => {
    const database = new URL(address.url).pathname.slice(1);
    const { login, as: limited } = await loginOf("user");
    expect(await refusal(limited)).toContain(
      `GRANT CREATE ON DATABASE "${database}" TO "${login}".`,
    );
    await prepareSpanDatabase(address);
    await server.query(address, `GRANT USAGE ON SCHEMA agate TO ${login}`);
    await server.query(address, `GRANT ALL ON ALL TABLES IN SCHEMA agate TO ${login}`);
    expect(await refusal(limited)).toMatch(/may not add tables.*give the URL of the user agate\./);
    await server.query(address, `GRANT agate TO ${login} WITH SET FALSE`);
    expect(await refusal(limited)).toMatch(/Allow it with GRANT agate TO its user WITH SET TRUE,/);
    await server.query(address, `GRANT agate TO ${login} WITH SET TRUE`);
    await (await open(limited)).close();
  });

  it("leaves new tables to the owner of the others when a member of its role migrates", async () => {
    const database = new URL(address.url).pathname.slice(1);
    const [owner, member] = [await loginOf("owner"), await loginOf("member")];
    await server.query(address, `GRANT CREATE ON DATABASE ${database} TO ${owner.login}`);
    await server.query(address, `GRANT ${owner.login} TO ${member.login}`);
    await prepareSpanDatabase(owner.as, MIGRATIONS.slice(0, -1));
    const appender = openPostgresAppender(owner.as, Number.POSITIVE_INFINITY);
    await prepareSpanDatabase(member.as);
    const batch = { project: "default", receivedAt: 1, spans: [storedSpan({})] };
    expect(await appender.append(batch)).toEqual({ kind: "committed" });
    await appender.close();
    expect(
      await server.query(
        address,
        `SELECT DISTINCT pg_get_userbyid(relowner) AS owner FROM pg_class
         WHERE relnamespace = 'agate'::regnamespace`,
      ),
    ).toEqual([{ owner: owner.login }]);
  });

  it("forgets transactions of the server that a dump came from", async () => {
    const store = await open(address);
    await server.query(
      address,
      `INSERT INTO agate.traces (day, project, trace_id, received, created, changed, segments, spans,
         summarised, top_segment, top_offset, top_length, start, name, spankind, status, total)
       VALUES (now(), 'p', 't', 0, '999999999', '999999999', 1, 1, 1, 0, 0, 0, 0, '', '', '', '')`,
    );
    await store.close();
    await (await open(address)).close();
    expect(await server.query(address, "SELECT changed, created FROM agate.traces")).toEqual([
      { changed: "0", created: "0" },
    ]);
  });
});
