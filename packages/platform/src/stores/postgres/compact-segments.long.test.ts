import type { StoredSpan } from "@agate/spans";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeCompaction } from "../contract/compaction.contract.ts";
import { assemble, expectedTree } from "../contract/expected-tree.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import { Subject } from "../contract/subject.fixture.ts";
import { TraceGoneError } from "../span-store.ts";
import type { PostgresAddress } from "../store-address.ts";
import type { PostgresDatabases } from "../testing/embedded-postgres.fixture.ts";
import { sharedPostgres } from "../testing/shared-databases.fixture.ts";
import { compactSome } from "./compact-segments.ts";
import { openPostgresStore } from "./postgres-store.ts";
import { SpanDatabase } from "./span-database.ts";

const TRACE = { kind: "trace", traceId: traceIdOf(1) } as const;
const AT_ONCE = { afterMs: 0, fromBytes: 1 };
const onFailure = (error: Error) => {
  throw error;
};

let server: PostgresDatabases;
let address: PostgresAddress;
let database: SpanDatabase;
// Maintenance compacts nothing while these tests run: superseded records must be a minute old.
const subject = new Subject(() => openPostgresStore({ address, onFailure }), 3);

beforeAll(async () => {
  server = await sharedPostgres();
  address = await server.createDatabase();
  await subject.open();
  database = new SpanDatabase(address, { connections: 1, statementMs: 30_000 });
});
afterAll(async () => {
  await database.close();
  await subject.store.close();
});

const compactAll = async () => {
  // A trace that is being indexed again is locked, and skipped.
  await subject.store.searchCaughtUp();
  while (await compactSome(database, AT_ONCE, [], () => {}));
};

describe("compaction in PostgreSQL", () => {
  describeCompaction(subject, compactAll);

  it("leaves what a reader has begun to read where it is", async () => {
    subject.fresh();
    await subject.append(batch(0).slice(0, 60));
    await subject.append(batch(1).slice(0, 40));
    const read = await subject.store.readTree(subject.project, TRACE);
    const before = await storedBytes();
    await compactAll();
    expect(await storedBytes()).toBeLessThan(before);
    const current = [...batch(1).slice(0, 40), ...batch(0).slice(40, 60)];
    expect(await assemble(read)).toEqual(expectedTree(current));
    expect(await subject.readTrace()).toEqual(expectedTree(current));
  });

  it("fails a reader explicitly whose records were superseded meanwhile", async () => {
    subject.fresh();
    await subject.append(batch(0).slice(0, 3));
    await subject.append(batch(1).slice(0, 1));
    const read = await subject.store.readTree(subject.project, TRACE);
    await subject.append(batch(2).slice(0, 2));
    await compactAll();
    await expect(assemble(read)).rejects.toThrow(TraceGoneError);
  });

  it("waits until no list can hold a place of what was superseded", async () => {
    subject.fresh();
    await subject.append(batch(0).slice(0, 3));
    await subject.append(batch(1).slice(0, 3));
    await subject.store.searchCaughtUp();
    expect(await compactSome(database, { afterMs: 600_000 }, [], () => {})).toBe(false);
    expect(await compactSome(database, { afterMs: 0 }, [], () => {})).toBe(true);
  });

  it("changes nothing when its transaction fails in the middle", async () => {
    subject.fresh();
    await subject.append(batch(0).slice(0, 3));
    await subject.append(batch(1).slice(0, 3));
    const before = await storedBytes();
    await server.query(
      address,
      "ALTER TABLE agate.segments ADD CONSTRAINT whole CHECK (body <> '') NOT VALID",
    );
    await expect(compactAll()).rejects.toThrow("whole");
    await server.query(address, "ALTER TABLE agate.segments DROP CONSTRAINT whole");
    expect(await storedBytes()).toBe(before);
    await compactAll();
    expect(await storedBytes()).toBeLessThan(before);
    expect(await subject.readTrace()).toEqual(expectedTree(batch(1).slice(0, 3)));
  });
});

it("keeps a batch of 500 KB that is sent 20 times, changed each time, within 3 times its size", async () => {
  const own = await server.createDatabase();
  const store = await openPostgresStore({ address: own, onFailure, compaction: { afterMs: 0 } });
  const append = (spans: readonly StoredSpan[]) =>
    store.append({ project: "default", receivedAt: 1, spans });
  const some = (version: number) => batch(version).slice(0, 100);
  await append(some(0));
  const once = await storedBytes(own);
  for (let n = 1; n <= 20; n++) expect(await append(some(n))).toEqual({ kind: "committed" });
  const waiting = () => server.query<object>(own, "SELECT FROM agate.superseded_segments LIMIT 1");
  await expect.poll(waiting, { timeout: 60_000 }).toEqual([]);
  expect(await storedBytes(own)).toBeLessThan(3 * once);
  expect(await assemble(await store.readTree("default", TRACE))).toEqual(expectedTree(some(20)));
  await store.close();
}, 120_000);

async function storedBytes(of = address): Promise<number> {
  const [row] = await server.query<{ bytes: string }>(
    of,
    "SELECT sum(octet_length(header) + octet_length(body)) AS bytes FROM agate.segments",
  );
  return Number(row?.bytes);
}

/** 400 spans of about 5 KB. */
function batch(version: number): StoredSpan[] {
  return Array.from({ length: 400 }, (_, n) =>
    storedSpan({
      id: spanIdOf(n),
      parentId: n === 0 ? null : spanIdOf(0),
      start: n,
      name: `version ${version}`,
      inputs: "lorem ipsum ".repeat(400),
    }),
  );
}
