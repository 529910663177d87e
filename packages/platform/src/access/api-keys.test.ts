import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { OpenAccess } from "./open-access.ts";
import type { RegistryFile } from "./testing/registry-file.fixture.ts";
import { BLUE, RED, registryFile } from "./testing/registry-file.fixture.ts";

let file: RegistryFile;
beforeEach(async () => {
  file = await registryFile();
});
afterEach(() => file[Symbol.asyncDispose]());

function callerBy(access: OpenAccess, authorization: string) {
  const outcome = access.control.authenticate({ authorization, project: undefined });
  return outcome.kind === "caller" ? outcome.caller : outcome.kind;
}

describe("a new key", () => {
  it("is shown whole once and listed without its secret", async () => {
    const { keys } = await file.open();
    const { key, ...listed } = await keys.create(RED, { name: "ci", scopes: ["ingest", "read"] });
    expect(key).toMatch(/^ag_[0-9A-Za-z]{8}_[0-9A-Za-z]{32}$/);
    expect(key.startsWith(`${listed.prefix}_`)).toBe(true);
    expect(listed).toEqual({
      id: expect.stringMatching(/^key_[a-z2-7]{20}$/),
      prefix: expect.stringMatching(/^ag_.{8}$/),
      name: "ci",
      scopes: ["ingest", "read"],
      environments: null,
      created_at: "2026-11-15T10:00:30.000Z",
      last_used_at: null,
    });
    expect(await keys.list(RED)).toEqual([listed]);
    expect(await keys.list(BLUE)).toEqual([]);
  });

  it("is not in any file of the data directory", async () => {
    const { keys } = await file.open();
    const { key } = await keys.create(RED, { name: "ci", scopes: ["admin"] });
    const secret = key.slice(-32);
    for (const name of readdirSync(file.directory)) {
      expect(readFileSync(join(file.directory, name)).includes(secret), name).toBe(false);
    }
    const { hash } = await file.db.selectFrom("api_keys").select("hash").executeTakeFirstOrThrow();
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it("opens its own project with its own scopes, before and after a restart", async () => {
    const first = await file.open();
    const { key } = await first.keys.create(RED, { name: "ci", scopes: ["read"] });
    for (const access of [first, await file.open()]) {
      expect(callerBy(access, `Bearer ${key}`)).toMatchObject({
        project: RED,
        name: "ci",
        scopes: new Set(["read"]),
        isOperator: false,
      });
    }
  });
});

describe("a key that is revoked", () => {
  it("is invalid from that moment on, and ends streams that use it", async () => {
    const access = await file.open();
    const { key, id } = await access.keys.create(RED, { name: "ci", scopes: ["read"] });
    const other = await access.keys.create(RED, { name: "ci", scopes: ["read"] });
    const caller = callerBy(access, `Bearer ${key}`);
    expect(await access.keys.revoke(RED, id)).toBe("revoked");
    expect(callerBy(access, `Bearer ${key}`)).toBe("key-invalid");
    expect(caller).toMatchObject({ revocation: { isRevoked: true } });
    expect(callerBy(access, `Bearer ${other.key}`)).toMatchObject({
      revocation: { isRevoked: false },
    });
    expect(await access.keys.list(RED)).toHaveLength(1);
    expect(await access.keys.revoke(RED, id)).toBe("missing");
    expect(callerBy(await file.open(), `Bearer ${key}`)).toBe("key-invalid");
  });

  it("is not revoked from another project", async () => {
    const access = await file.open();
    const { key, id } = await access.keys.create(RED, { name: "ci", scopes: ["read"] });
    expect(await access.keys.revoke(BLUE, id)).toBe("missing");
    expect(callerBy(access, `Bearer ${key}`)).toMatchObject({ project: RED });
  });

  it("by another process opens nothing after a reload; new ones do", async () => {
    const here = await file.open();
    const there = await file.open();
    const gone = await here.keys.create(RED, { name: "gone", scopes: ["read"] });
    await there.reload();
    const made = await there.keys.create(BLUE, { name: "made", scopes: ["read"] });
    await there.keys.revoke(RED, gone.id);
    expect(callerBy(here, `Bearer ${gone.key}`)).toMatchObject({ name: "gone" });
    await here.reload();
    expect(callerBy(here, `Bearer ${gone.key}`)).toBe("key-invalid");
    expect(callerBy(here, `Bearer ${made.key}`)).toMatchObject({ project: BLUE });
  });

  it("goes with its project", async () => {
    const access = await file.open();
    const { key } = await access.keys.create(RED, { name: "ci", scopes: ["read"] });
    await file.db.deleteFrom("projects").where("id", "=", RED).execute();
    await access.reload();
    expect(callerBy(access, `Bearer ${key}`)).toBe("key-invalid");
  });
});

describe("a key that is being made while the others are read again", () => {
  it("is not lost", async () => {
    // As a connection of its own may do: what it has read arrives after what was written since.
    let arrival = Promise.resolve();
    const late = file.db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (result.rows.length > 0) await arrival;
        return result;
      },
    });
    const access = await file.open({ through: late });
    await access.keys.create(BLUE, { name: "other", scopes: ["read"] });
    const { promise, resolve } = Promise.withResolvers<void>();
    arrival = promise;
    const reloaded = access.keys.reload();
    const made = access.keys.create(RED, { name: "ci", scopes: ["read"] });
    for (let turn = 0; turn < 10; turn++) await setImmediate();
    resolve();
    await reloaded;
    expect(callerBy(access, `Bearer ${(await made).key}`)).toMatchObject({ name: "ci" });
  });
});

describe("an Authorization header", () => {
  it.each(["Bearer", "bearer", "BEARER", "ApiKey", "apikey", "APIKEY"])(
    "may say %s",
    async (scheme) => {
      const access = await file.open();
      const { key } = await access.keys.create(RED, { name: "ci", scopes: ["read"] });
      expect(callerBy(access, `${scheme} ${key}`)).toMatchObject({ project: RED });
    },
  );

  it("opens nothing with anything but a whole key", async () => {
    const access = await file.open();
    const { key } = await access.keys.create(RED, { name: "ci", scopes: ["admin"] });
    const nearly = fc.oneof(
      fc.string(),
      fc.string().map((text) => `Bearer ${text}`),
      fc.string({ minLength: 1 }).map((text) => `Bearer ${key}${text}`),
      fc.nat({ max: key.length - 1 }).map((end) => `Bearer ${key.slice(0, end)}`),
      fc.nat({ max: key.length - 1 }).map((n) => `Bearer ${key.slice(0, n)}~${key.slice(n + 1)}`),
      fc.constantFrom(key, `Basic ${key}`, `Bearer${key}`, `Bearer ${key.toUpperCase()}`, "Bearer"),
    );
    fc.assert(
      fc.property(nearly, (authorization) => {
        fc.pre(!/^Bearer ag_\w+ +$/.test(authorization));
        expect(callerBy(access, authorization)).toBe("key-invalid");
      }),
    );
    expect(callerBy(access, `Bearer ${key}`)).toMatchObject({ project: RED });
  });
});

describe("the last use of a key", () => {
  it("is known at once to the minute, and written later", async () => {
    const access = await file.open();
    const { key, id } = await access.keys.create(RED, { name: "ci", scopes: ["read"] });
    const listed = async () => (await access.keys.list(RED))[0]?.last_used_at;
    const stored = async () =>
      (await file.db.selectFrom("api_keys").select("last_used_at").executeTakeFirst())
        ?.last_used_at;
    callerBy(access, `Bearer ${key}`);
    expect(await listed()).toBe("2026-11-15T10:00:00.000Z");
    expect(await stored()).toBeNull();
    file.clock.now += 60_000;
    callerBy(access, `Bearer ${key}`);
    await access.close();
    expect(await stored()).toBe("2026-11-15T10:01:00.000Z");
    expect(await (await file.open()).keys.list(RED)).toMatchObject([
      { id, last_used_at: "2026-11-15T10:01:00.000Z" },
    ]);
  });
});

describe("a key of the platform's own", () => {
  it("opens what it was issued for until it is revoked, and is stored nowhere", async () => {
    const access = await file.open({ rateLimit: 1 });
    const own = access.internalKeys.issue({ project: RED, name: "build 1", scopes: ["ingest"] });
    for (let n = 0; n < 10; n++) {
      expect(callerBy(access, `Bearer ${own.key}`)).toMatchObject({
        project: RED,
        scopes: new Set(["ingest"]),
      });
    }
    expect(await access.keys.list(RED)).toEqual([]);
    await access.reload();
    expect(callerBy(access, `Bearer ${own.key}`)).toMatchObject({ project: RED });
    expect(callerBy(await file.open(), `Bearer ${own.key}`)).toBe("key-invalid");
    own.revoke();
    expect(callerBy(access, `Bearer ${own.key}`)).toBe("key-invalid");
  });
});
