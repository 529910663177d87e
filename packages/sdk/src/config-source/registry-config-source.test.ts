import { describe, expect, test } from "vitest";
import {
  eachWithRegistry,
  now,
  PRODUCTION,
  temperatureIn,
  withTemperature,
} from "./registry-config-source.fixture.ts";
import { until } from "./test-registry.fixture.ts";

const setUp = eachWithRegistry();

describe("asking", () => {
  test("what an environment has deployed, with the key, at the documented path", async () => {
    setUp.registry.deploy("production", { "/": {}, "/summarize": { tone: "plain" } });
    expect(await setUp.open({ apiKey: " secret\n" }).resolve(PRODUCTION)).toEqual({
      kind: "resolved",
      resolved: {
        application: { id: "id-of-quickstart", slug: "quickstart" },
        variant: { id: "id-of-default", slug: "default", revision: 1 },
        environment: "production",
        params: { "/": {}, "/summarize": { tone: "plain" } },
      },
      stale: false,
    });
    const [request] = setUp.registry.requests;
    expect(request?.path).toBe("/registry/applications/quickstart/config?environment=production");
    expect(request?.headers.get("authorization")).toBe("Bearer secret");
  });

  test("a variant by its latest revision, or by a given one", async () => {
    setUp.registry.commit(withTemperature(1), "terse & dry");
    setUp.registry.commit(withTemperature(2), "terse & dry");
    const variant = { by: "variant", application: "quickstart", variant: "terse & dry" } as const;
    const source = setUp.open();
    expect(temperatureIn(await source.resolve({ ...variant, revision: null }))).toBe(2);
    expect(temperatureIn(await source.resolve({ ...variant, revision: 1 }))).toBe(1);
    expect(setUp.registry.requests.map(({ path }) => path)).toEqual([
      "/registry/applications/quickstart/config?variant=terse+%26+dry",
      "/registry/applications/quickstart/config?variant=terse+%26+dry&revision=1",
    ]);
  });

  test("a base URL may have a path, and a slash at its end", async () => {
    const source = setUp.open({ baseUrl: `${setUp.registry.baseUrl}/agate//` });
    await source.resolve(PRODUCTION);
    expect(setUp.registry.requests[0]?.path).toMatch(
      /^\/agate\/registry\/applications\/quickstart\/config/,
    );
  });

  test.each([
    ["localhost:4100", "http:// or https://"],
    ["platform", "AGATE_BASE_URL"],
    ["http://ada:secret@localhost", "AGATE_API_KEY"],
    ["http://ada:secret@local host", "AGATE_BASE_URL"],
  ])("an address that is none is refused at once: %s", (baseUrl, says) => {
    expect(() => setUp.open({ baseUrl })).toThrow(says);
    expect(() => setUp.open({ baseUrl })).not.toThrow(/secret@/);
  });

  test("a key that no header can hold is refused without being shown", () => {
    expect(() => setUp.open({ apiKey: "se\ncret" })).toThrow(/^(?!.*cret).*AGATE_API_KEY/);
  });

  test.each(["", ".", "..", "\ud800"])("no URL names the application %j", async (application) => {
    const resolution = await setUp.open().resolve({ ...PRODUCTION, application });
    expect(resolution.kind).toBe("not-found");
    expect(setUp.registry.requests).toEqual([]);
  });
});

describe("memory", () => {
  test("a thousand calls at once are one request, and later ones none", async () => {
    setUp.registry.deploy("production", withTemperature(1));
    const source = setUp.open();
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, () => source.resolve(PRODUCTION)),
    );
    expect(new Set(answers.map(temperatureIn))).toEqual(new Set([1]));
    setUp.clock.advance(999);
    expect(temperatureIn(now(source))).toBe(1);
    expect(setUp.registry.requests).toHaveLength(1);
  });

  test("from 1 s to 60 s old it is served and checked meanwhile, by its ETag", async () => {
    setUp.registry.deploy("production", withTemperature(1));
    const source = setUp.open();
    await source.resolve(PRODUCTION);
    setUp.clock.advance(1_000);
    for (let call = 0; call < 100; call++) now(source);
    await until(() => setUp.registry.requests[1]?.status === 304);
    expect(setUp.registry.requests[1]?.headers.get("if-none-match")).toBe('"default-1-production"');
    await until(() => setUp.clock.due.length === 0);

    setUp.registry.deploy("production", withTemperature(2));
    setUp.clock.advance(60_000);
    expect(temperatureIn(now(source))).toBe(1);
    await until(() => temperatureIn(now(source)) === 2);
    expect(setUp.registry.requests.map(({ status }) => status)).toEqual([200, 304, 200]);
  });

  test("older it is checked first", async () => {
    setUp.registry.deploy("production", withTemperature(1));
    const source = setUp.open();
    await source.resolve(PRODUCTION);
    setUp.registry.deploy("production", withTemperature(2));
    setUp.clock.advance(60_001);
    const answer = source.resolve(PRODUCTION);
    expect(answer).toBeInstanceOf(Promise);
    expect(temperatureIn(await answer)).toBe(2);
  });

  test("a given revision is fetched once, for ever, and needs no stream", async () => {
    setUp.registry.commit(withTemperature(1));
    const revision = {
      by: "variant",
      application: "quickstart",
      variant: "default",
      revision: 1,
    } as const;
    const source = setUp.open({ liveUpdates: true });
    await source.resolve(revision);
    setUp.clock.advance(1e9);
    expect(temperatureIn(now(source, revision))).toBe(1);
    expect(setUp.registry.requests).toHaveLength(1);
  });

  test("what is not there is asked for again after 1 s", async () => {
    const source = setUp.open();
    expect(await source.resolve(PRODUCTION)).toEqual({
      kind: "not-found",
      reason: "Nothing is deployed to production.",
    });
    setUp.registry.deploy("production", withTemperature(1));
    setUp.clock.advance(999);
    expect(now(source).kind).toBe("not-found");
    setUp.clock.advance(1);
    expect(temperatureIn(await source.resolve(PRODUCTION))).toBe(1);
  });

  test("what was deleted is no longer found", async () => {
    setUp.registry.deploy("production", withTemperature(1));
    const source = setUp.open();
    await source.resolve(PRODUCTION);
    setUp.registry.undeploy("production");
    setUp.clock.advance(1_000);
    now(source);
    await until(() => now(source).kind === "not-found");
  });

  test("asking for thousands of things that do not exist displaces nothing that does", async () => {
    setUp.registry.deploy("production", withTemperature(1));
    const source = setUp.open();
    await source.resolve(PRODUCTION);
    for (let batch = 0; batch < 20; batch++) {
      const references = Array.from({ length: 60 }, (_, index) => ({
        ...PRODUCTION,
        environment: `e${batch}-${index}`,
      }));
      await Promise.all(references.map((reference) => source.resolve(reference)));
    }
    await setUp.registry.die();
    expect(temperatureIn(now(source))).toBe(1);
  });
});

describe("other answers", () => {
  const good = {
    application: { id: "a", slug: "a" },
    variant: { id: "v", slug: "v", revision: 1 },
    environment: null,
    params: {},
  };

  test.each<[string, () => Response, string]>([
    ["401", () => new Response(null, { status: 401 }), "AGATE_API_KEY"],
    ["403", () => new Response(null, { status: 403 }), "AGATE_API_KEY"],
    ["404 of another server", () => new Response("Not here", { status: 404 }), "AGATE_BASE_URL"],
    [
      "a platform without a registry",
      () =>
        Response.json(
          { detail: [{ loc: [], msg: "No.", type: "route_not_found" }] },
          { status: 404 },
        ),
      "without a registry",
    ],
    [
      "422",
      () => Response.json({ detail: [{ loc: [], msg: "Bad slug.", type: "x" }] }, { status: 422 }),
      "answered 422: Bad slug.",
    ],
    ["500", () => new Response("<h1>Oh</h1>", { status: 500 }), "answered 500."],
    ["304 that was not asked for", () => new Response(null, { status: 304 }), "answered 304."],
    [
      "a page",
      () => new Response("<html>", { headers: { "content-type": "text/html" } }),
      "text/html",
    ],
    ["nothing", () => new Response(""), "not JSON"],
    ["null", () => Response.json(null), "the body is null, not an object"],
    ["a list", () => Response.json([]), "the body is a list"],
    ["no params", () => Response.json({ ...good, params: undefined }), "params is missing"],
    [
      "a configuration that is none",
      () => Response.json({ ...good, params: { "/": 1 } }),
      'params["/"] is 1, not an object',
    ],
    [
      "a bad revision",
      () => Response.json({ ...good, variant: { id: "v", slug: "v", revision: 1.5 } }),
      "variant.revision is 1.5, not a whole number",
    ],
    [
      "fields that are only inherited",
      () => new Response('{"__proto__":{"application":{"id":"a","slug":"a"}}}'),
      "application is missing",
    ],
  ])("%s", async (_name, answer, says) => {
    setUp.registry.interrupt = answer;
    const resolution = await setUp.open().resolve(PRODUCTION);
    expect(resolution).toEqual({ kind: "unavailable", reason: expect.stringContaining(says) });
    expect(setUp.warnings).toHaveLength(1);
  });

  test("a bad answer does not displace a good one", async () => {
    setUp.registry.deploy("production", withTemperature(1));
    const source = setUp.open();
    await source.resolve(PRODUCTION);
    setUp.registry.interrupt = () => new Response("<html>", { status: 404 });
    setUp.clock.advance(60_001);
    expect(await source.resolve(PRODUCTION)).toMatchObject({ kind: "resolved", stale: true });
  });

  test("another revision than the one asked for", async () => {
    setUp.registry.interrupt = () =>
      Response.json({ ...good, variant: { ...good.variant, revision: 2 } });
    const resolution = await setUp.open().resolve({
      by: "variant",
      application: "a",
      variant: "v",
      revision: 1,
    });
    expect(resolution).toMatchObject({ kind: "unavailable" });
  });

  test("__proto__ is data", async () => {
    const text = `{"application":{"id":"a","slug":"a"},"variant":{"id":"v","slug":"v","revision":1},"environment":null,"params":{"__proto__":{"x":1},"/":{"__proto__":{"admin":true}}}}`;
    setUp.registry.interrupt = () => new Response(text);
    const resolution = await setUp.open().resolve(PRODUCTION);
    if (resolution.kind !== "resolved") throw new Error(JSON.stringify(resolution));
    expect(Object.keys(resolution.resolved.params)).toEqual(["__proto__", "/"]);
    expect((resolution.resolved.params["/"] as { admin?: unknown }).admin).toBeUndefined();
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
  });

  test("an answer without an ETag is fetched whole each time", async () => {
    setUp.registry.interrupt = () => Response.json(good);
    const source = setUp.open();
    await source.resolve(PRODUCTION);
    setUp.clock.advance(1_000);
    now(source);
    await until(() => setUp.registry.requests[1]?.status === 200);
    expect(setUp.registry.requests[1]?.headers.has("if-none-match")).toBe(false);
  });
});
