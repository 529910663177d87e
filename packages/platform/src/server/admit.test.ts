import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import type { CreatedApiKey, Scope } from "@agate/protocol";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Revocation } from "../access/revocation.ts";
import { breakOffWhenRevoked, credentialsOf } from "./admit.ts";
import { sendRequest } from "./testing/send-request.fixture.ts";
import type { TestPlatform } from "./testing/test-platform.fixture.ts";
import { startTestPlatform } from "./testing/test-platform.fixture.ts";

let platform: TestPlatform;
const clock = { now: Date.UTC(2026, 10, 15, 12) };

const TRACE = `/observability/traces/${"a".repeat(32)}/`;
const SPAN = `/observability/spans/${"a".repeat(16)}/`;

function makeKey(...scopes: Scope[]): Promise<CreatedApiKey> {
  return platform.access.keys.create("default", { name: "ci", scopes });
}

const EXPORT = {
  method: "POST",
  path: "/v1/traces",
  body: JSON.stringify({
    resourceSpans: [
      { scopeSpans: [{ spans: [{ traceId: "a".repeat(32), spanId: "a".repeat(16), name: "x" }] }] },
    ],
  }),
};

describe("a server that asks for keys", () => {
  beforeEach(async () => {
    platform = await startTestPlatform({ policy: "keys", rateLimit: 1, now: () => clock.now });
  });
  afterEach(() => platform.close());

  it("records a span under the project of the key that sent it", async () => {
    const project = await platform.registry.projects.create("red");
    if (project.kind === "refused") throw new Error("refused");
    await platform.access.reload();
    const scopes = ["ingest", "read"] as const;
    const { key } = await platform.access.keys.create(project.value.id, { name: "ci", scopes });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    expect((await platform.send({ ...EXPORT, headers })).status).toBe(200);
    const { json } = await platform.send({ path: TRACE, headers });
    expect(json.project_id).toBe(project.value.id);
  });

  it.each([TRACE, SPAN, "/observability/traces/"])(
    "answers %s with 429 and when to come back, once the key's rate is used up",
    async (path) => {
      const headers = { authorization: `Bearer ${(await makeKey("read")).key}` };
      const statuses: number[] = [];
      for (let n = 0; n < 4; n++) statuses.push((await platform.send({ path, headers })).status);
      const usual = statuses[0];
      expect(statuses).toEqual([usual, usual, 429, 429]);
      const refused = await platform.send({ path, headers });
      expect(refused.json.detail).toMatchObject([{ type: "rate_limited" }]);
      expect(refused.headers["retry-after"]).toBe("1");
      clock.now += 1000;
      expect((await platform.send({ path, headers })).status).toBe(usual);
    },
  );

  it("keeps nothing of an export that is refused for its rate", async () => {
    const headers = {
      authorization: `Bearer ${(await makeKey("ingest")).key}`,
      "content-type": "application/json",
    };
    const empty = { ...EXPORT, headers, body: '{"resourceSpans":[]}' };
    for (let n = 0; n < 2; n++) await platform.send(empty);
    expect((await platform.send({ ...EXPORT, headers })).status).toBe(429);
    const reader = { authorization: `Bearer ${(await makeKey("read")).key}` };
    expect((await platform.send({ path: TRACE, headers: reader })).status).toBe(404);
  });

  it("answers under any Host and Origin, without letting pages read it", async () => {
    const headers = {
      authorization: `Bearer ${(await makeKey("read")).key}`,
      host: "agate.example",
      origin: "https://elsewhere.example",
    };
    const response = await platform.send({ path: "/observability/traces/", headers });
    expect(response.status).toBe(200);
    expect(
      Object.keys(response.headers).filter((name) => name.startsWith("access-control")),
    ).toEqual([]);
  });

  it("logs attempts with wrong keys, not the keys", async () => {
    const authorization = `Bearer ag_12345678_${"z".repeat(32)}`;
    for (let n = 0; n < 5; n++) {
      await sendRequest(platform.server.port, { path: TRACE, headers: { authorization } });
    }
    const warnings = (await platform.logLines()).filter(({ level }) => level === 40);
    expect(warnings).toMatchObject([{ attempts: 1 }]);
    expect(JSON.stringify(await platform.logLines())).not.toContain("zzzz");
  });
});

describe("a server on a loopback address", () => {
  beforeEach(async () => {
    platform = await startTestPlatform({ rateLimit: 1 });
  });
  afterEach(() => platform.close());

  it("lets anyone on this machine do anything without a key, as often as they like", async () => {
    for (let n = 0; n < 10; n++) expect((await platform.get("/registry/keys")).status).toBe(200);
  });

  it("holds a caller with a key to it", async () => {
    const headers = { authorization: `Bearer ${(await makeKey("read")).key}` };
    expect((await platform.send({ path: "/registry/keys", headers })).status).toBe(403);
    const wrong = { authorization: "Bearer nonsense" };
    for (const path of [TRACE, "/registry/keys"]) {
      expect((await platform.send({ path, headers: wrong })).status).toBe(401);
    }
    expect((await platform.send({ path: "/health", headers: wrong })).status).toBe(200);
  });

  it("shows the project that the header names, on the shortest way too", async () => {
    const { kind } = await platform.registry.projects.create("red");
    expect(kind).toBe("done");
    await platform.access.reload();
    const json = { "content-type": "application/json", "agate-project": "red" };
    expect((await platform.send({ ...EXPORT, headers: json })).status).toBe(200);
    for (const path of [TRACE, SPAN]) {
      expect((await platform.get(path)).status).toBe(404);
      const response = await platform.send({ path, headers: { "agate-project": "red" } });
      expect(response.status).toBe(200);
      const missing = await platform.send({ path, headers: { "agate-project": "green" } });
      expect(missing.json.detail).toMatchObject([{ type: "project_not_found" }]);
    }
  });
});

const INGEST_PATHS = ["", "/api/public/otel", "/api/otlp", "/otel"].flatMap((prefix) =>
  ["traces", "logs", "metrics"].map((signal) => `${prefix}/v1/${signal}`),
);
const asBasic = (password: string) => ({
  authorization: `Basic ${Buffer.from(`pk-lf-1:${password}`).toString("base64")}`,
});
/** How clients of other products send their key. */
const FORMS: readonly ((key: string) => Record<string, string>)[] = [
  (key) => ({ authorization: `Bearer ${key}` }),
  (key) => ({ authorization: `ApiKey ${key}` }),
  (key) => ({ authorization: key }),
  asBasic,
  (key) => ({ "x-api-key": key }),
  (key) => ({ api_key: key }),
];

describe("clients of other products", () => {
  const send = (path: string, headers: Record<string, string>) => {
    const type = { "content-type": "application/json" };
    return platform.send({ method: "POST", path, headers: { ...type, ...headers }, body: "{}" });
  };
  const unknown = `ag_12345678_${"z".repeat(32)}`;
  afterEach(() => platform.close());

  it("are served with an Agate key in any of their forms, and refused with another", async () => {
    platform = await startTestPlatform({ policy: "keys" });
    const ingest = await makeKey("ingest");
    const read = await makeKey("read");
    for (const path of INGEST_PATHS) {
      for (const form of FORMS) {
        expect((await send(path, form(ingest.key))).status).toBe(200);
        const unscoped = await send(path, form(read.key));
        expect(unscoped.json.detail).toMatchObject([{ type: "scope_missing" }]);
        for (const wrong of [unknown, "undefined", "", ingest.key.slice(0, -1)]) {
          const refused = await send(path, form(wrong));
          expect(refused.status).toBe(401);
          expect(refused.json.detail[0].msg).toContain("agate keys create");
          expect(refused.headers["www-authenticate"]).toBe("Bearer");
        }
      }
      expect((await send(path, {})).json.detail[0].msg).toContain("x-api-key");
    }
    // Only where clients export.
    for (const form of FORMS.slice(2)) {
      const elsewhere = await platform.send({ path: TRACE, headers: form(read.key) });
      expect(elsewhere.status).toBe(401);
    }
  });

  it("may send any credentials where no key is needed, but no wrong Agate key", async () => {
    platform = await startTestPlatform();
    const { key } = await makeKey("read");
    const invented = { authorization: "Bearer undefined" };
    for (const path of INGEST_PATHS) {
      for (const form of FORMS) {
        for (const foreign of ["undefined", "", "sk-lf-1", "lsv2_pt_1"]) {
          expect((await send(path, form(foreign))).status).toBe(200);
        }
        const wrong = await send(path, form(unknown));
        expect(wrong.json.detail).toMatchObject([{ type: "key_invalid" }]);
        const unscoped = await send(path, form(key));
        expect(unscoped.json.detail).toMatchObject([{ type: "scope_missing" }]);
      }
      // A page of another program on this machine gains nothing by inventing a key.
      const page = await send(path, { ...invented, origin: "http://127.0.0.1:3000" });
      expect(page.status).toBe(403);
    }
    expect((await platform.send({ path: TRACE, headers: invented })).status).toBe(401);
  });
});

it.each([
  ["agate_session=as_1", "as_1"],
  ["theme=dark; agate_session=as_1; other=2", "as_1"],
  ["theme=dark;agate_session=as_1", "as_1"],
  ["my_agate_session=as_1", undefined],
  ["theme=agate_session=as_1", undefined],
  ["agate_session=", undefined],
  ["agate_session", undefined],
  ["", undefined],
])("in the header %j the session is %j", (cookie, session) => {
  expect(credentialsOf({ headers: { cookie } }).session).toBe(session);
});

describe("an answer that ends when its key is revoked", () => {
  it.each([
    ["is broken off", true],
    ["is not kept where its client was gone before", false],
  ])("%s", async (_, isThere) => {
    const revocation = new Revocation();
    const scopes = new Set<Scope>();
    const key = { project: "default", name: "ci", scopes, environments: null, keyId: "key" };
    const server = createServer();
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const client = request({ port: (server.address() as AddressInfo).port, host: "127.0.0.1" });
    client.on("error", () => {}).end();
    const [, outgoing] = (await once(server, "request")) as [IncomingMessage, ServerResponse];
    if (!isThere) {
      client.destroy();
      await once(outgoing, "close");
    }
    breakOffWhenRevoked({ ...key, isOperator: false, revocation }, outgoing);
    const destroy = vi.spyOn(outgoing, "destroy");
    revocation.revoke();
    expect(destroy).toHaveBeenCalledTimes(isThere ? 1 : 0);
  });
});
