import type { CreatedApiKey, Scope } from "@agate/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sendRequest } from "../../testing/send-request.fixture.ts";
import type { TestPlatform } from "../../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../../testing/test-platform.fixture.ts";
import { deploy, workflow } from "../deployments/testing/deploying.fixture.ts";
import { sessionCookie } from "./sessions.ts";

const TRACE = `/observability/traces/${"a".repeat(32)}/`;
const SPAN = `/observability/spans/${"a".repeat(16)}/`;
const OWN = { "sec-fetch-site": "same-origin" };
const SIGNED_OUT = { caller: null, project: null };

let platform: TestPlatform;
const NOON = Date.UTC(2026, 10, 15, 12);

function makeKey(...scopes: Scope[]): Promise<CreatedApiKey> {
  return platform.access.keys.create("default", { name: "grace", scopes });
}

function signIn(key: string, headers: Record<string, string> = OWN) {
  return platform.send({
    method: "POST",
    path: "/session",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ key }),
  });
}

/** What a browser sends back of an answer's cookies. */
async function cookieOf(key: string): Promise<string> {
  const { headers } = await signIn(key);
  return headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
}

async function sessionBy(headers: Record<string, string>) {
  return (await platform.send({ path: "/session", headers: { ...OWN, ...headers } })).json;
}

describe("on a server that asks for keys", () => {
  beforeAll(async () => {
    // A key each for the tests, and time that stands still: no test uses up another's rate.
    platform = await startTestPlatform({ policy: "keys", rateLimit: 2, now: () => NOON });
  });
  afterAll(() => platform.close());

  it("a key signs in, with a cookie that no script can read and no other site sends", async () => {
    const { key } = await makeKey("read", "run");
    const { status, json, headers } = await signIn(key);
    expect(status).toBe(200);
    expect(json).toEqual({
      caller: { name: "grace", scopes: ["read", "run"], environments: null, is_operator: false },
      project: { id: "default", slug: "default" },
    });
    const [cookie = "", ...attributes] = headers["set-cookie"]?.[0]?.split("; ") ?? [];
    expect(cookie).toMatch(/^agate_session=as_\w{40}$/);
    expect(attributes).toEqual(["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=2592000"]);
    expect(headers["cache-control"]).toBe("no-store");
    expect(await sessionBy({ cookie })).toEqual(json);
    // It stands for the key and does not hold it, nor does the key open anything as a cookie.
    expect(await sessionBy({ cookie: `agate_session=${key}` })).toEqual(SIGNED_OUT);
  });

  it("the cookie is for TLS alone, where a proxy speaks it", async () => {
    const { key } = await makeKey("read");
    const { headers } = await signIn(key, { ...OWN, "x-forwarded-proto": "https" });
    expect(headers["set-cookie"]?.[0]).toMatch(/; Secure$/);
  });

  it.each(["", "nonsense", `ag_12345678_${"x".repeat(32)}`, "ag_\r\nset-cookie: a=b", "Bearer "])(
    "%j is no key: the browser is not signed in",
    async (key) => {
      const { status, json, headers } = await signIn(key);
      expect(status).toBe(401);
      expect(json.detail).toMatchObject([{ type: "key_invalid", loc: ["body", "key"] }]);
      expect(headers).not.toHaveProperty("set-cookie");
    },
  );

  it.each([[{}], [{ key: 1 }], [{ key: null }], [{ key: "a", more: 1 }], ["text"]])(
    "the body %j is a 422",
    async (body) => {
      const { status } = await platform.send({
        method: "POST",
        path: "/session",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      expect(status).toBe(422);
    },
  );

  it("a page of another origin can neither sign in nor out", async () => {
    const { key } = await makeKey("read");
    const cookie = await cookieOf(key);
    for (const headers of [
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "cross-site" },
      { origin: "http://127.0.0.1:3000" },
    ] as Record<string, string>[]) {
      const answers = [
        await signIn(key, headers),
        await platform.send({
          method: "DELETE",
          path: "/session",
          headers: { cookie, ...headers },
        }),
      ];
      for (const { status, json, headers: sent } of answers) {
        expect(status).toBe(403);
        expect(json.detail).toMatchObject([{ type: "origin_not_allowed" }]);
        expect(sent).not.toHaveProperty("set-cookie");
      }
    }
  });

  it("signing out ends the session, its copies too, and leaves the key and other sessions as they are", async () => {
    const { key } = await makeKey("read");
    const other = await makeKey("read");
    const cookie = await cookieOf(key);
    const otherCookie = await cookieOf(other.key);
    const { status, headers } = await platform.send({
      method: "DELETE",
      path: "/session",
      headers: { ...OWN, cookie },
    });
    expect(status).toBe(204);
    expect(headers["set-cookie"]).toEqual([
      "agate_session=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0",
    ]);
    expect(await sessionBy({ cookie: "agate_session=" })).toEqual(SIGNED_OUT);
    expect(await sessionBy({ cookie })).toEqual(SIGNED_OUT);
    expect(await sessionBy({ cookie: otherCookie })).toMatchObject({ caller: { name: "grace" } });
    expect(await sessionBy({ authorization: `Bearer ${key}` })).toMatchObject({
      caller: { name: "grace" },
    });
  });

  it("a session ends with its key, and Authorization comes before it", async () => {
    const { key, id } = await makeKey("read");
    const other = await makeKey("admin");
    const cookie = await cookieOf(key);
    const both = { cookie, authorization: `Bearer ${other.key}` };
    expect(await sessionBy(both)).toMatchObject({ caller: { scopes: ["admin"] } });
    await platform.access.keys.revoke("default", id);
    expect(await sessionBy({ cookie })).toEqual(SIGNED_OUT);
    for (const path of [TRACE, SPAN]) {
      const { status, json } = await platform.send({ path, headers: { ...OWN, cookie } });
      expect([status, json.detail[0].type]).toEqual([401, "key_invalid"]);
    }
  });

  it("the key's rate holds for its sessions; asking who one is counts, too", async () => {
    const { key } = await makeKey("read");
    const headers = { ...OWN, cookie: await cookieOf(key) };
    const statuses: number[] = [];
    for (const path of [TRACE, SPAN, "/session", TRACE]) {
      statuses.push((await platform.send({ path, headers })).status);
    }
    expect(statuses).toEqual([404, 404, 200, 429]);
    const limited = await platform.send({ path: "/session", headers });
    expect(limited.status).toBe(429);
    expect(limited.headers["retry-after"]).toBe("1");
  });

  it("a page that borrows the cookie does not use up the key's rate", async () => {
    const { key } = await makeKey("read");
    const cookie = await cookieOf(key);
    for (let n = 0; n < 5; n++) {
      const headers = { cookie, "sec-fetch-site": "same-site" };
      expect((await platform.send({ path: TRACE, headers })).status).toBe(403);
    }
    expect((await platform.send({ path: TRACE, headers: { ...OWN, cookie } })).status).toBe(404);
  });

  it("another project than the key's is not there", async () => {
    const { key } = await makeKey("read");
    const { status, json } = await platform.send({
      path: "/session",
      headers: { ...OWN, cookie: await cookieOf(key), "agate-project": "other" },
    });
    expect([status, json.detail[0].type]).toEqual([404, "project_not_found"]);
  });

  it("the log has no word of a cookie", async () => {
    const { key } = await makeKey("read");
    const cookie = await cookieOf(key);
    await platform.send({ path: TRACE, headers: { ...OWN, cookie } });
    await platform.send({ path: TRACE, headers: { ...OWN, cookie: `${cookie}x` } });
    const lines = JSON.stringify(await platform.logLines());
    expect(lines).toContain("/session");
    expect(lines).not.toContain(key.slice(-32));
    expect(lines).not.toContain("agate_session");
  });
});

describe("on a server where no key is needed", () => {
  beforeAll(async () => {
    platform = await startTestPlatform();
  });
  afterAll(() => platform.close());

  const OPERATOR = { caller: { name: "local", is_operator: true } };

  it("an invalid cookie does not lock the browser out", async () => {
    const { key, id } = await makeKey("read");
    await platform.access.keys.revoke("default", id);
    // Of another platform on this machine, as cookies know no ports; and one that was revoked.
    for (const stale of [key, `ag_12345678_${"x".repeat(32)}`, "nonsense"]) {
      const headers = { ...OWN, cookie: `agate_session=${stale}` };
      expect(await sessionBy(headers)).toMatchObject(OPERATOR);
      expect((await platform.send({ path: "/registry/keys", headers })).status).toBe(200);
      expect((await platform.send({ path: TRACE, headers })).status).toBe(404);
    }
  });

  it("a key can be tried: the page may then do what the key may", async () => {
    const { key } = await makeKey("read");
    const headers = { ...OWN, cookie: await cookieOf(key) };
    expect(await sessionBy(headers)).toMatchObject({ caller: { name: "grace" } });
    expect((await platform.send({ path: "/registry/keys", headers })).status).toBe(403);
  });

  it("a workflow that the page calls sees no cookie, and its answer is no page of ours", async () => {
    const development = { environment: "development" };
    const handle = `
      response.setHeader("content-type", "text/html");
      response.end(JSON.stringify(request.headers));`;
    expect((await deploy(platform, "echo", workflow("", { handle }), development)).status).toBe(
      201,
    );
    const { key } = await makeKey("playground");
    const path = "/services/echo/playground/run";
    const call = (headers: Record<string, string>) =>
      sendRequest(platform.server.port, { method: "POST", path, headers: { ...OWN, ...headers } });
    const { status, json, headers } = await call({ cookie: await cookieOf(key) });
    expect(status).toBe(200);
    expect(json).not.toHaveProperty("cookie");
    expect(JSON.stringify(json)).not.toContain(key);
    expect(headers["content-security-policy"]).toBe("sandbox");
    const byHeader = await call({ authorization: `Bearer ${key}` });
    expect(byHeader.headers).not.toHaveProperty("content-security-policy");
  });
});

it.each([
  [{}, false],
  [{ "x-forwarded-proto": "http", origin: "http://agate.example" }, false],
  [{ "x-forwarded-proto": "https" }, true],
  [{ "x-forwarded-proto": "HTTPS, http" }, true],
  [{ "x-forwarded-proto": "http, https" }, false],
  [{ origin: "https://agate.example" }, true],
])("after the journey %j the cookie is only for TLS: %j", (journey, isSecure) => {
  expect(sessionCookie("as_1", journey).endsWith("; Secure")).toBe(isSecure);
});
