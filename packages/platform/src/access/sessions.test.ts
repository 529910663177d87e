import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiKeys } from "./api-keys.ts";
import { KeyRing } from "./key-ring.ts";
import { LastUses } from "./last-uses.ts";
import { SESSION_MS, Sessions } from "./sessions.ts";
import type { RegistryFile } from "./testing/registry-file.fixture.ts";
import { registryFile } from "./testing/registry-file.fixture.ts";

const KEY = { name: "grace", scopes: ["read"] } as const;

let file: RegistryFile;
beforeAll(async () => {
  file = await registryFile();
});
afterAll(() => file[Symbol.asyncDispose]());

function rows(): Promise<{ hash: string }[]> {
  return file.db.selectFrom("sessions").select("hash").execute();
}

describe("sessions", () => {
  it("are stored as hashes, and known to a process that starts later", async () => {
    const { keys, sessions } = await file.open();
    const { key } = await keys.create("default", KEY);
    const token = (await sessions.create(key)) ?? "";
    expect(JSON.stringify(await rows())).not.toContain(token.slice(3));
    const later = await file.open();
    expect(later.sessions.find(token)?.caller).toMatchObject({ name: "grace", project: "default" });
    expect(sessions.find(token.slice(0, -1))).toBeUndefined();
  });

  it("end on time, and not a millisecond before", async () => {
    const { keys, sessions } = await file.open();
    const { key } = await keys.create("default", KEY);
    const start = file.clock.now;
    const token = (await sessions.create(key)) ?? "";
    file.clock.now = start + SESSION_MS - 1;
    expect(sessions.find(token)).toBeDefined();
    expect((await file.open()).sessions.find(token)).toBeDefined();
    file.clock.now = start + SESSION_MS;
    expect(sessions.find(token)).toBeUndefined();
    expect((await file.open()).sessions.find(token)).toBeUndefined();
    // The next who signs in removes the row.
    const before = await rows();
    await sessions.create(key);
    expect((await rows()).length).toBeLessThanOrEqual(before.length);
    file.clock.now = start;
  });

  it("end with their key, and streams to them end with either", async () => {
    const { keys, sessions } = await file.open();
    const { id, key } = await keys.create("default", KEY);
    const [first = "", second = ""] = [await sessions.create(key), await sessions.create(key)];
    const streams = [first, second].map(
      (token) => sessions.find(token)?.caller.revocation?.isRevoked,
    );
    expect(streams).toEqual([false, false]);
    const [held, other] = [sessions.find(first), sessions.find(second)];
    await sessions.end(first);
    expect([held?.caller.revocation?.isRevoked, other?.caller.revocation?.isRevoked]).toEqual([
      true,
      false,
    ]);
    await keys.revoke("default", id);
    expect(other?.caller.revocation?.isRevoked).toBe(true);
    expect(sessions.find(second)).toBeUndefined();
    expect(await sessions.create(key)).toBeUndefined();
  });

  it.each([1, 3])("are at most %i of a key: the oldest ends", async (mostPerKey) => {
    const others = (await rows()).length;
    const ring = new KeyRing();
    const now = () => file.clock.now;
    const lastUses = new LastUses({ db: file.db, onSaveFailed: () => {} });
    const keys = new ApiKeys({ db: file.db, ring, lastUses, rateLimit: null, now });
    const { key } = await keys.create("default", KEY);
    const sessions = new Sessions({ db: file.db, ring, now, mostPerKey });
    const tokens: string[] = [];
    for (let n = 0; n <= mostPerKey; n++) {
      file.clock.now++;
      tokens.push((await sessions.create(key)) ?? "");
      expect((await rows()).length - others).toBe(Math.min(n + 1, mostPerKey));
    }
    expect(tokens.map((token) => sessions.find(token) !== undefined)).toEqual([
      false,
      ...Array.from({ length: mostPerKey }, () => true),
    ]);
  });

  it("of a key that the platform made for itself are in memory alone", async () => {
    const { internalKeys, sessions } = await file.open();
    const before = await rows();
    const internal = internalKeys.issue({ project: "default", ...KEY });
    const token = (await sessions.create(internal.key)) ?? "";
    expect(await rows()).toEqual(before);
    await sessions.reload(file.db);
    expect(sessions.find(token)).toBeDefined();
    internal.revoke();
    expect(sessions.find(token)).toBeUndefined();
  });
});
