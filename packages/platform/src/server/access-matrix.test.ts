import { SCOPES } from "@agate/protocol";
import { afterAll, describe, expect, it } from "vitest";
import { writePage } from "./page/testing/built-page.fixture.ts";
import type { DocumentedRoute } from "./testing/documented-routes.fixture.ts";
import { documentedRoutes } from "./testing/documented-routes.fixture.ts";
import { openEventStream } from "./testing/event-stream.fixture.ts";
import type { TestResponse } from "./testing/send-request.fixture.ts";
import { sendRequest } from "./testing/send-request.fixture.ts";
import { startTestPlatform } from "./testing/test-platform.fixture.ts";
import type { SeededProject } from "./testing/two-projects.fixture.ts";
import { appendTrace, SHARED_NAMES, seedProject } from "./testing/two-projects.fixture.ts";

const page = await writePage();
const NOON = Date.UTC(2026, 10, 1, 12);
let now = NOON;
const platform = await startTestPlatform({
  policy: "keys",
  pageFolder: page.folder,
  now: () => now,
});
afterAll(async () => {
  await platform.close();
  await page[Symbol.asyncDispose]();
});

/** Whose things are tried to be seen and changed, and who tries. */
const red = await seedProject(platform, "red", "scarlet");
const blue = await seedProject(platform, "blue", "azure");

const routes = await documentedRoutes(platform.server.port);
const guarded = routes.filter(({ access }) => access !== "public");
const named = (some: readonly DocumentedRoute[]) =>
  some.map((route) => [`${route.method} ${route.path}`, route] as const);

/** Names that say nothing about a project. */
const NEUTRAL: Readonly<Record<string, string>> = {
  revision: "1",
  file: "init.js",
  route: "summarize",
  evaluation: "tickets",
};

/** Where the description cannot say which of several parameters must be there. */
const QUERIES: Readonly<Record<string, string>> = { resolveConfig: "?environment=production" };

type Names = Readonly<Record<string, string>>;

function call(
  { id, method, path, query, body }: DocumentedRoute,
  names: Names,
  headers: Readonly<Record<string, string>>,
  changes: { readonly method?: string; readonly slash?: boolean } = {},
): Promise<TestResponse> {
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = names[name] ?? NEUTRAL[name];
    if (value === undefined) throw new Error(`Say in two-projects.fixture.ts what {${name}} is.`);
    return value;
  });
  // What a workflow answers is its own: it is not in the description.
  const isPassedOn = path.startsWith("/services/");
  const send = isPassedOn ? sendRequest.bind(null, platform.server.port) : platform.send;
  return send({
    method: changes.method ?? method,
    path:
      (changes.slash === true ? `${target.replace(/\/$/, "")}/` : target) + (QUERIES[id] ?? query),
    headers: { ...headers, ...(body && { "content-type": body.type }) },
    ...(body && { body: body.content }),
  });
}

function expectRefusal(response: TestResponse, status: number, type: string | RegExp): void {
  expect(response.status, response.body.toString()).toBe(status);
  expect(response.json.detail[0].type).toMatch(type);
  expectNothingOf(red, response);
}

function expectNothingOf({ marker }: SeededProject, response: TestResponse): void {
  expect(response.body.toString()).not.toContain(marker);
  expect(JSON.stringify(response.headers)).not.toContain(marker);
}

interface Seen {
  readonly status: number;
  readonly body: string;
}

/** What a response shows, without what is new in each report of a server: they come every 30 s. */
function seenIn({ status, body }: TestResponse): Seen {
  const reported = /"(?:reported_at|memory_bytes)":(?:"[^"]*"|\d+|null)/g;
  return { status, body: body.toString().replaceAll(reported, "") };
}

/** Everything that the project's own administrator can see of it. */
async function everythingOf(project: SeededProject): Promise<Record<string, Seen>> {
  const seen: Record<string, Seen> = {};
  for (const route of guarded) {
    if (route.method !== "GET" || route.isEndless || route.access === "operator") continue;
    seen[route.path] = seenIn(
      await call(route, project.ids, { authorization: project.keys.admin }),
    );
  }
  return seen;
}

// Each key was used once: what is compared afterwards has changed for no other reason.
for (const authorization of [...Object.values(red.keys), red.limitedKey]) {
  await platform.send({ path: "/registry/keys", headers: { authorization } });
}
const before = await everythingOf(red);

it("has something of every kind to be seen, marked", () => {
  const marked = Object.entries(before)
    .filter(([, { status, body }]) => status === 200 && body.includes(red.marker))
    .map(([path]) => path);
  expect(marked).toEqual(
    expect.arrayContaining([
      "/observability/traces/",
      "/observability/analytics/scores/",
      "/observability/traces/{trace_id}/",
      "/observability/spans/{span_id}/",
      "/registry/keys",
      "/registry/applications/{app}/schema",
      "/registry/applications/{app}/variants/{variant}/revisions",
      "/registry/applications/{app}/environments/{environment}/deployments",
      "/registry/applications/{app}/builds",
      "/registry/applications/{app}/logs",
      "/registry/testsets",
      "/registry/testsets/{testset}/revisions",
      "/registry/testsets/{testset}/revisions/{revision}/rows",
      "/registry/testsets/{testset}/revisions/{revision}/export",
      "/services/{app}/openapi.json",
      "/registry/runs",
      "/registry/runs/{run}",
      "/registry/runs/{run}/cases",
      "/registry/runs/{run}/results",
    ]),
  );
});

/** Sessions by the header of the key that they were made with. */
const sessions = new Map<string, string>();
for (const authorization of Object.values(red.keys)) {
  const session = await platform.access.sessions.create(keyIn(authorization));
  sessions.set(authorization, session ?? "");
}

/** What the page of this server sends, after its reader has signed in with the key of a header. */
function asThePage(authorization: string): Readonly<Record<string, string>> {
  return asSession(sessions.get(authorization) ?? "");
}

function asSession(cookie: string): Readonly<Record<string, string>> {
  return { cookie: `theme=dark; agate_session=${cookie}`, "sec-fetch-site": "same-origin" };
}

function keyIn(authorization: string): string {
  return authorization.slice("Bearer ".length);
}

async function endedSession(end: "by its key" | "by signing out"): Promise<string> {
  const { keys, sessions: all } = platform.access;
  const { id, key } = await keys.create(red.ids.project ?? "", { name: "gone", scopes: ["admin"] });
  const session = (await all.create(key)) ?? "";
  if (end === "by signing out") await all.end(session);
  await keys.revoke(red.ids.project ?? "", id);
  return session;
}
const endedWithKey = await endedSession("by its key");
const signedOut = await endedSession("by signing out");

describe("without a key that opens anything", () => {
  const wrong: readonly [what: string, headers: Names, type: string][] = [
    ["no key", {}, "key_missing"],
    ["an empty header", { authorization: "" }, "key_invalid"],
    ["another scheme", { authorization: `Basic ${red.keys.admin.slice(7)}` }, "key_invalid"],
    ["half a key", { authorization: red.keys.admin.slice(0, -1) }, "key_invalid"],
    ["one that never was", { authorization: `Bearer ag_0_${"0".repeat(32)}` }, "key_invalid"],
    ["a revoked key", { authorization: red.revokedKey }, "key_invalid"],
    ["another cookie", { cookie: "theme=dark", "sec-fetch-site": "same-origin" }, "key_missing"],
    ["half a session", asSession(sessions.get(red.keys.admin)?.slice(0, -1) ?? ""), "key_invalid"],
    ["a session of a revoked key", asSession(endedWithKey), "key_invalid"],
    ["a session that was signed out", asSession(signedOut), "key_invalid"],
    ["a cookie that holds a key", asSession(keyIn(red.keys.admin)), "key_invalid"],
    [
      "a wrong header beside a right cookie",
      { ...asThePage(red.keys.admin), authorization: red.revokedKey },
      "key_invalid",
    ],
  ];

  it.each(named(guarded))("%s is a 401", async (_, route) => {
    for (const [what, headers, type] of wrong) {
      const response = await call(route, red.ids, headers);
      expectRefusal(response, 401, type);
      expect(response.headers["www-authenticate"]).toBe("Bearer");
      // A path is matched before the credentials are read: two of them are tried on its other forms.
      if (what !== "no key" && what !== "a revoked key") continue;
      expectRefusal(await call(route, red.ids, headers, { slash: true }), 401, type);
      if (route.method === "GET") {
        expect((await call(route, red.ids, headers, { method: "HEAD" })).status).toBe(401);
      }
    }
  });
});

describe("without the scope", () => {
  // Answers depend on the time of the request: those before and after are compared.
  afterAll(() => {
    now = NOON;
  });

  it.each(named(guarded))("%s is a 403", async (_, route) => {
    // Keys with the scope `score` alone may send 50 requests a second.
    now += 100;
    const includedInAdmin = !["operator", "deploy", "backup"].includes(route.access);
    const allowed = [...route.access.split(" or "), ...(includedInAdmin ? ["admin"] : [])];
    for (const scope of SCOPES.filter((each) => !allowed.includes(each))) {
      for (const headers of [{ authorization: red.keys[scope] }, asThePage(red.keys[scope])]) {
        expectRefusal(await call(route, red.ids, headers), 403, "scope_missing");
      }
    }
  });
});

describe("with a key that is limited to other environments", () => {
  const headers = { authorization: red.limitedKey };
  const limited = guarded.filter(({ limitedKeys }) => limitedKeys !== "allowed");
  const others = guarded.filter(
    ({ access, method, isEndless, limitedKeys }) =>
      access !== "operator" && method === "GET" && !isEndless && limitedKeys === "allowed",
  );

  it.each(named(limited))("%s is a 403", async (_, route) => {
    expectRefusal(await call(route, red.ids, headers), 403, "environment_not_allowed");
  });

  it.each(named(others))("%s answers as with any key", async (_, route) => {
    expect(seenIn(await call(route, red.ids, headers))).toEqual(before[route.path]);
  });

  it("every route that changes an environment or runs a workflow is among them", () => {
    const ids = limited.map(({ id }) => id);
    const changing = guarded.filter(
      ({ method, path }) => method !== "GET" && /\{environment\}|^\/services/.test(path),
    );
    expect(ids).toEqual(expect.arrayContaining(changing.map(({ id }) => id)));
    expect(ids).toContain("resolveConfig");
  });
});

describe("with the cookie of the page", () => {
  const { "sec-fetch-site": _, ...cookie } = asThePage(red.keys.admin);
  const host = { host: "agate.example:4100" };
  const readable = guarded.filter(
    ({ access, method, isEndless }) => access !== "operator" && method === "GET" && !isEndless,
  );

  it.each(named(readable))("%s answers as with the key itself", async (_, route) => {
    for (const own of [
      asThePage(red.keys.admin),
      { ...cookie, ...host, origin: "http://agate.example:4100" },
      cookie,
    ]) {
      expect(seenIn(await call(route, red.ids, own))).toEqual(before[route.path]);
    }
  });

  it.each(named(guarded))("%s is a 403 to another page, of this machine too", async (_, route) => {
    const borrowed = [
      { "sec-fetch-site": "cross-site" },
      // Cookies know no ports: so does a page of another program on the same machine.
      { "sec-fetch-site": "same-site" },
      { ...host, origin: "http://agate.example:3000" },
      { ...host, origin: "https://evil.example" },
      { ...host, origin: "null" },
      // A form of an old browser's: nothing tells where it was sent.
      ...(route.method === "GET" ? [] : [{}]),
    ];
    for (const headers of borrowed) {
      const response = await call(route, red.ids, { ...cookie, ...headers });
      expectRefusal(response, 403, "origin_not_allowed");
    }
  });
});

describe("with every right in another project", () => {
  const authorization = blue.keys.admin;
  const keyFor = ({ access }: DocumentedRoute) => {
    // What moves code and configuration asks for `deploy` where both move.
    if (access.split(" or ").includes("deploy")) return blue.keys.deploy;
    return access === "backup" ? blue.keys.backup : authorization;
  };
  const open = guarded.filter(({ access }) => access !== "operator");

  it.each(named(guarded))("%s knows no other project by its header", async (_, route) => {
    for (const project of [red.slug, red.id]) {
      const headers = { authorization: keyFor(route), "agate-project": project };
      const response = await call(route, blue.ids, headers);
      expectRefusal(response, 404, "project_not_found");
    }
  });

  const naming = open.filter(({ parameters }) => parameters.some((name) => !(name in NEUTRAL)));
  it.each(named(naming))("%s finds nothing by the other's ids", async (_, route) => {
    for (const stolen of route.parameters.filter((name) => !(name in NEUTRAL))) {
      const names = { ...blue.ids, [stolen]: red.ids[stolen] ?? "" };
      const headers = { authorization: keyFor(route) };
      expectRefusal(await call(route, names, headers), 404, /_not_found$/);
    }
  });

  const readable = open.filter(({ method, isEndless }) => method === "GET" && !isEndless);
  it.each(named(readable))("%s shows what is its own under names of both", async (_, route) => {
    const response = await call(route, { ...blue.ids, ...SHARED_NAMES }, { authorization });
    expectNothingOf(red, response);
    const theirs = before[route.path];
    expect(response.status).toBe(theirs?.status);
    if (theirs?.body.includes(red.marker)) {
      expect(response.body.toString()).toContain(blue.marker);
    }
  });

  const calling = open.filter(
    ({ path, method }) => /^\/services.*run/.test(path) && method === "POST",
  );
  it.each(named(calling))("%s calls its own workflow under a name of both", async (_, route) => {
    const headers = { authorization: blue.keys[route.access as "run" | "playground"] };
    const response = await call(route, SHARED_NAMES, headers);
    expect([response.status, response.json]).toEqual([200, `${blue.marker} answer`]);
  });

  it.each([
    ["POST", "/environments/staging/deployments", { variant: red.ids.variant }],
    ["POST", "/environments/staging/promote", { from: red.ids.environment }],
    ["POST", "/environments/production/rollback", { deployment: red.ids.deployment }],
    ["GET", `/config?variant=${red.ids.variant}`, undefined],
    ["GET", `/config?environment=${red.ids.environment}`, undefined],
    ["GET", `/diff?from=default&to=${red.ids.variant}`, undefined],
    ["GET", `/diff?from=default&to=env:${red.ids.environment}`, undefined],
  ])("%s …%s does not reach the other's things from its own", async (method, path, body) => {
    const moves = /promote$|rollback$/.test(path);
    const headers = { authorization: moves ? blue.keys.deploy : authorization };
    const response = await platform.send({
      method,
      path: `/registry/applications/${blue.ids.app}${path}`,
      headers: { ...headers, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    expectRefusal(response, 404, /_not_found$/);
  });

  it("search, filters and figures are of its own traces alone", async () => {
    const get = (path: string) => platform.send({ path, headers: { authorization } });
    for (const list of ["/observability/traces/", "/observability/spans/"]) {
      for (const query of [
        "q=scarlet",
        "application=scarlet+application",
        "user_id=scarlet+user",
      ]) {
        expect((await get(`${list}?${query}`)).json.items, query).toEqual([]);
      }
      expect((await get(`${list}?q=azure`)).json.items).toHaveLength(2);
    }
    const { json } = await get("/observability/analytics/");
    const counts: number[] = json.buckets.map(({ count }: { count: number }) => count);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2);
    const { names } = (await get("/observability/analytics/scores/")).json;
    expect(names).toMatchObject([{ name: "azure", count: 2 }]);
  });
});

describe("afterwards", () => {
  it("the other project is as it was", async () => {
    expect(await everythingOf(red)).toEqual(before);
  });

  it("no key is in the log", async () => {
    const lines = JSON.stringify(await platform.logLines());
    for (const key of [...Object.values(red.keys), red.revokedKey, ...Object.values(blue.keys)]) {
      expect(lines).not.toContain(key.slice(-32));
    }
  });
});

describe("a stream of live events", () => {
  const ids = { trace_id: "b".repeat(32), span_id: "b".repeat(16) };
  const watch = () =>
    openEventStream(platform.server.port, "/observability/live/", {
      authorization: blue.keys.read,
    });

  it("has those of its own project alone", async () => {
    const events = await watch();
    await appendTrace(platform, red, { trace_id: "a".repeat(32), span_id: "a".repeat(16) });
    await appendTrace(platform, blue, ids);
    const first = await events.next();
    expect(first?.data).toMatchObject({ trace_id: ids.trace_id, name: `${blue.marker} span` });
    events.close();
  });

  it("is broken off when its key is revoked", async () => {
    const events = await watch();
    const keys = await platform.access.keys.list(blue.id);
    const [used] = keys.filter(({ name }) => name === `${blue.marker} read`);
    expect(await platform.access.keys.revoke(blue.id, used?.id ?? "")).toBe("revoked");
    await expect(events.next()).rejects.toMatchObject({ code: "ECONNRESET" });
  });
});

describe("what is public", () => {
  const open = routes.filter(({ access }) => access === "public");
  it.each(named(open))("%s says nothing of any project", async (_, route) => {
    const response = await call(route, {}, {});
    // The key of the example is none of this server's.
    if (route.id === "signIn") expect(response.status).toBe(401);
    else expect(response.status).toBeLessThan(400);
    expectNothingOf(red, response);
  });
});
