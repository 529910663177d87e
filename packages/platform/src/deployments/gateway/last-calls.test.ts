import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openRegistry } from "../../registry/open-registry.ts";
import { openRegistryDatabase } from "../../stores/registry/open-registry-database.ts";
import { LastCalls } from "./last-calls.ts";

const HOUR_MS = 3_600_000;
const NOON = Date.UTC(2026, 0, 1, 12);

async function open() {
  const directory = mkdtempSync(join(tmpdir(), "agate-calls-"));
  const database = await openRegistryDatabase({ kind: "sqlite", directory });
  const registry = await openRegistry(database);
  onTestFinished(async () => {
    await registry.close();
    await rm(directory, { recursive: true });
  });
  await registry.applications.create("default", "support");
  const environments = await database.db.selectFrom("environments").selectAll().execute();
  const ids = Object.fromEntries(environments.map(({ slug, id }) => [slug, id]));
  const failures: unknown[] = [];
  const { db } = database;
  const calls = new LastCalls({ db, onSaveFailed: (error) => failures.push(error) });
  const rows = () => db.selectFrom("route_calls").selectAll().orderBy("route").execute();
  return { db, registry, ids, failures, calls, rows };
}

it("writes a call soon: a deploy that drops its route may follow", async () => {
  const { ids, calls, rows } = await open();
  calls.note(ids.staging as string, "/a", NOON);
  await expect.poll(rows, { timeout: 20_000 }).toMatchObject([{ route: "/a" }]);
});

it("keeps the hour of the last call of each route and environment", async () => {
  const { db, ids, calls, rows, failures } = await open();
  const [staging, production] = [ids.staging as string, ids.production as string];
  calls.note(staging, "/a", NOON);
  calls.note(staging, "/a", NOON + HOUR_MS - 1);
  calls.note(production, "/b", NOON + HOUR_MS);
  await calls.save();
  const saved = [
    { environment_id: staging, route: "/a", last_called_at: "2026-01-01T12:00:00.000Z" },
    { environment_id: production, route: "/b", last_called_at: "2026-01-01T13:00:00.000Z" },
  ];
  expect(await rows()).toEqual(saved);
  // Within the hour nothing is written.
  await db.deleteFrom("route_calls").where("route", "=", "/b").execute();
  calls.note(production, "/b", NOON + 2 * HOUR_MS - 1);
  calls.note(staging, "/a", NOON + 5 * HOUR_MS);
  await calls.save();
  expect(await rows()).toEqual([{ ...saved[0], last_called_at: "2026-01-01T17:00:00.000Z" }]);
  // Another replica is behind.
  const late = new LastCalls({ db, onSaveFailed: (error) => failures.push(error) });
  late.note(staging, "/a", NOON + HOUR_MS);
  await late.save();
  expect(await rows()).toEqual([{ ...saved[0], last_called_at: "2026-01-01T17:00:00.000Z" }]);
  expect(failures).toEqual([]);
});

it("forgets environments that were deleted, and keeps what could not be written", async () => {
  const { db, registry, ids, calls, rows, failures } = await open();
  calls.note(ids.development as string, "/a", NOON);
  calls.note(ids.staging as string, "/b", NOON);
  const ref = { project: "default", application: "support" };
  expect((await registry.environments.delete(ref, "development")).kind).toBe("done");
  await db.schema.alterTable("route_calls").renameTo("elsewhere").execute();
  await calls.save();
  expect(failures).toHaveLength(1);
  await db.schema.alterTable("elsewhere").renameTo("route_calls").execute();
  await calls.save();
  expect((await rows()).map(({ route }) => route)).toEqual(["/b"]);
  expect(failures).toHaveLength(1);
});
