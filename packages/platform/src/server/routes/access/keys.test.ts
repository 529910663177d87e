import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestPlatform } from "../../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../../testing/test-platform.fixture.ts";
import { faults, sendJson } from "../registry/testing/registry-client.fixture.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

const KEYS = "/registry/keys";

const names = (count: number) => Array.from({ length: count }, (_, n) => `environment-${n}`);

describe("a key", () => {
  it("is shown once, works, is listed without its secret, and is revoked", async () => {
    const body = { name: "ci", scopes: ["read", "ingest"] };
    const made = await sendJson(platform, "POST", KEYS, body);
    expect(made.status).toBe(201);
    expect(made.headers["cache-control"]).toBe("no-store");
    const { key, ...listed } = made.json;
    expect(listed).toMatchObject({ name: "ci", scopes: ["ingest", "read"], last_used_at: null });
    expect((await platform.get(KEYS)).json.items).toEqual([listed]);
    const request = { path: "/observability/traces/", headers: { authorization: `ApiKey ${key}` } };
    expect((await platform.send(request)).status).toBe(200);
    expect((await platform.get(KEYS)).json.items[0].last_used_at).toMatch(/:00\.000Z$/);
    expect((await sendJson(platform, "DELETE", `${KEYS}/${listed.id}`)).status).toBe(204);
    expect((await platform.send(request)).status).toBe(401);
    expect((await platform.get(KEYS)).json.items).toEqual([]);
    expect(JSON.stringify(await platform.logLines())).not.toContain(key.slice(-32));
  });

  it.each(["key_k3v5zq7m2c4nxw6brt2a", "ag_12345678", "'; DROP TABLE api_keys", "__proto__"])(
    "that is not there cannot be revoked: %s",
    async (id) => {
      const response = await sendJson(platform, "DELETE", `${KEYS}/${encodeURIComponent(id)}`);
      expect(faults(response)).toEqual([404, ["key_not_found", "path", "key"]]);
    },
  );

  it.each([
    [{ scopes: ["read"] }, "name"],
    [{ name: "", scopes: ["read"] }, "name"],
    [{ name: "two\nlines", scopes: ["read"] }, "name"],
    [{ name: "local", scopes: ["read"] }, "name"],
    [{ name: "x".repeat(65), scopes: ["read"] }, "name"],
    [{ name: "ci" }, "scopes"],
    [{ name: "ci", scopes: [] }, "scopes"],
    [{ name: "ci", scopes: "read" }, "scopes"],
    [{ name: "ci", scopes: ["read", "read"] }, "scopes"],
    [{ name: "ci", scopes: ["read", "write"] }, "scopes"],
    [{ name: "ci", scopes: ["__proto__"] }, "scopes"],
    [{ name: "ci", scopes: ["read"], project: "default" }, "project"],
    [{ name: "ci", scopes: ["read"], environments: [] }, "environments"],
    [{ name: "ci", scopes: ["read"], environments: "staging" }, "environments"],
    [{ name: "ci", scopes: ["read"], environments: ["Staging"] }, "environments"],
    [{ name: "ci", scopes: ["read"], environments: ["a/b/c"] }, "environments"],
    [{ name: "ci", scopes: ["read"], environments: ["staging", "staging"] }, "environments"],
    [{ name: "ci", scopes: ["read"], environments: names(51) }, "environments"],
  ])("is not made of %j", async (body, field) => {
    const response = await sendJson(platform, "POST", KEYS, body);
    expect(faults(response)).toEqual([422, ["body_invalid", "body", field]]);
  });
});

describe.each(["deploy", "backup"])("the scope %s", (scope) => {
  const create = async (scopes: readonly string[], authorization?: string) =>
    platform.send({
      method: "POST",
      path: KEYS,
      headers: { "content-type": "application/json", ...(authorization && { authorization }) },
      body: JSON.stringify({ name: "ci", scopes }),
    });
  const bearer = async (...scopes: string[]) => `Bearer ${(await create(scopes)).json.key}`;

  it("is given by the operator and by keys that have it, not by admin alone", async () => {
    const admin = await bearer("admin");
    const refused = await create([scope, "read"], admin);
    expect(faults(refused)).toEqual([403, ["scope_missing", "body", "scopes"]]);
    expect((await create(["admin"], admin)).status).toBe(201);
    const given = await create([scope], await bearer("admin", scope));
    expect([given.status, given.json.scopes]).toEqual([201, [scope]]);
  });

  it("alone does not create keys", async () => {
    const response = await create([scope], await bearer(scope));
    expect(faults(response)).toEqual([403, ["scope_missing", "header", "authorization"]]);
  });
});

describe("a key that is limited to environments", () => {
  const create = (environments: readonly string[] | null, authorization?: string) =>
    platform.send({
      method: "POST",
      path: KEYS,
      headers: { "content-type": "application/json", ...(authorization && { authorization }) },
      body: JSON.stringify({ name: "ci", scopes: ["admin", "read"], environments }),
    });
  const limited = async (...environments: string[]) =>
    `Bearer ${(await create(environments)).json.key}`;

  it("shows its limit when it is created and in the list", async () => {
    const { json, status } = await create(["staging", "support/production"]);
    expect([status, json.environments]).toEqual([201, ["staging", "support/production"]]);
    const { items } = (await platform.get(KEYS)).json;
    expect(items.find(({ id }: { id: string }) => id === json.id).environments).toEqual([
      "staging",
      "support/production",
    ]);
    expect((await create(names(50))).status).toBe(201);
  });

  it("keeps its limit after the keys were read again", async () => {
    const authorization = await limited("staging");
    await platform.access.reload();
    expect((await create(null, authorization)).status).toBe(403);
  });

  it.each([
    [["staging"], 201],
    [["support/staging"], 201],
    [["production"], 403],
    [["staging", "production"], 403],
    [["support/production"], 403],
    [null, 403],
  ])("limited to staging, creates one of %j: %i", async (environments, status) => {
    const response = await create(environments, await limited("staging"));
    expect(response.status).toBe(status);
    if (status === 403) expect(response.json.detail[0].type).toBe("environment_not_allowed");
  });

  it("revokes keys within its limit only", async () => {
    const authorization = await limited("staging");
    const revoke = (id: string) =>
      platform.send({ method: "DELETE", path: `${KEYS}/${id}`, headers: { authorization } });
    const within = (await create(["support/staging"])).json.id;
    const beyond = (await create(null)).json.id;
    expect((await revoke(within)).status).toBe(204);
    expect(faults(await revoke(beyond))).toEqual([
      403,
      ["environment_not_allowed", "header", "authorization"],
    ]);
  });
});
