import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createApp } from "../../../../../sdk/src/app/create-app.ts";
import { secret } from "../../../../../sdk/src/tracing/secrets.ts";
import type { SpanSketch } from "../../../stores/contract/stored-span.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../../../stores/contract/stored-span.fixture.ts";
import type { TestPlatform } from "../../testing/test-platform.fixture.ts";
import { startTestPlatform, TEST_PROJECT } from "../../testing/test-platform.fixture.ts";
import {
  APPLICATIONS,
  faults,
  makeApplication,
  sendJson,
} from "../registry/testing/registry-client.fixture.ts";
import { routesOpenapi } from "../registry/testing/workflow-openapi.fixture.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

const call = (method: string, path: string, body?: unknown) =>
  sendJson(platform, method, path, body);

let made = 0;
async function makeSet(bound_to: object | null = null): Promise<string> {
  const slug = `set-${++made}`;
  expect((await call("POST", "/registry/testsets", { slug, bound_to })).status).toBe(201);
  return `/registry/testsets/${slug}`;
}

const add = (path: string, ...spans: object[]) => call("POST", `${path}/spans`, { spans });
const rowsOf = async (path: string) =>
  (await call("GET", `${path}/revisions/latest/rows`)).json.items;

/** A call of a route in a trace of its own; gives both ids. */
async function record(sketch: SpanSketch = {}) {
  const ids = { trace_id: traceIdOf(++made), span_id: spanIdOf(++made) };
  const own = { traceId: ids.trace_id, id: ids.span_id };
  await platform.append([storedSpan({ route: "/a", inputs: { n: made }, ...sketch, ...own })]);
  return ids;
}

describe("spans that are added to a test set", () => {
  it("become rows with their inputs, and their outputs where asked", async () => {
    const path = await makeSet();
    const first = await record({ inputs: { n: 1 }, outputs: "one" });
    const second = await record({ inputs: { n: 2 }, outputs: { text: "two" } });
    const inner = { trace_id: first.trace_id, span_id: spanIdOf(++made) };
    const place = { traceId: inner.trace_id, id: inner.span_id, parentId: first.span_id };
    await platform.append([storedSpan({ ...place, route: "/b", inputs: { n: 3 }, start: 5 })]);
    const added = await call("POST", `${path}/spans`, {
      spans: [{ trace_id: first.trace_id }, { ...second, with_output: true }, inner],
      message: "Of today",
    });
    expect([added.status, added.headers.location]).toEqual([201, `${path}/revisions/1`]);
    expect(added.json).toMatchObject({ test_set: { revision: 1 }, added: 3, skipped: 0 });
    const rest = { id: expect.stringMatching(/^[0-9a-f]{16}$/), metadata: {}, tags: [] };
    expect(await rowsOf(path)).toEqual([
      { ...rest, inputs: { n: 1 }, source: first },
      { ...rest, inputs: { n: 2 }, expected: { text: "two" }, source: second },
      { ...rest, inputs: { n: 3 }, source: inner },
    ]);
    expect((await call("GET", `${path}/revisions/1`)).json.message).toBe("Of today");
  });

  it("are skipped and counted where a row has their inputs, however it came to be", async () => {
    const path = await makeSet();
    const rows = [{ inputs: { n: 1 }, expected: "kept" }];
    await call("POST", `${path}/revisions`, { rows, base_revision: 0 });
    const same = await record({ inputs: { n: 1 }, outputs: "other" });
    const skipped = await add(path, { ...same, with_output: true });
    expect([skipped.status, skipped.headers.location]).toEqual([200, undefined]);
    expect(skipped.json).toMatchObject({ test_set: { revision: 1 }, added: 0, skipped: 1 });
    const [one, two] = [await record({ inputs: { n: 2 } }), await record({ inputs: { n: 2 } })];
    const mixed = (await add(path, same, one, two, one)).json;
    expect(mixed).toMatchObject({ test_set: { revision: 2 }, added: 1, skipped: 3 });
    expect(await rowsOf(path)).toMatchObject([
      { inputs: { n: 1 }, expected: "kept", source: null },
      { inputs: { n: 2 }, source: one },
    ]);
  });

  it("may be of evaluation runs, and large", async () => {
    const path = await makeSet();
    const inputs = { text: "x".repeat(1_000_000) };
    const large = await record({ run: "nightly", inputs });
    expect((await add(path, large)).json).toMatchObject({ added: 1 });
    expect(await rowsOf(path)).toMatchObject([{ inputs }]);
  });

  it("are all refused, each with its reason, where one cannot be added", async () => {
    const path = await makeSet();
    const good = await record();
    const cut = { truncated: true, limit: 40, start: "{" };
    const reasons: [span: object, reason: string][] = [
      [await record({ route: null }), "Not a call of a route."],
      [await record({ inputs: null }), "No inputs recorded."],
      [await record({ inputs: "text" }), "No inputs recorded."],
      [await record({ inputs: cut }), "Truncated: the inputs were cut off when recorded."],
      [{ ...(await record()), with_output: true }, "No output recorded."],
      [
        {
          ...(await record({ outputs: { truncated: true, chunks: 9, start: [] } })),
          with_output: true,
        },
        "Truncated: the output was cut off when recorded.",
      ],
      [
        { ...(await record({ outputs: "a [secret:KEY]" })), with_output: true },
        "Redacted: a secret in the output was not recorded.",
      ],
      [{ trace_id: traceIdOf(9999) }, "Trace not found."],
      [{ trace_id: good.trace_id, span_id: spanIdOf(9999) }, "Span not found."],
      [
        { trace_id: good.trace_id, span_id: (await record()).span_id },
        "It is a span of another trace.",
      ],
      [
        await record({ inputs: { text: "x".repeat(1024 * 1024) } }),
        expect.stringContaining("a row takes 1,048,576 at most.") as never,
      ],
    ];
    // The row that is too large is only looked at when all others are right.
    for (const some of [reasons.slice(0, -1), reasons.slice(-1)]) {
      const refused = await add(path, good, ...some.map(([span]) => span));
      expect(faults(refused)).toEqual([
        422,
        ...some.map((_, n) => ["rows_invalid", "body", "spans", n + 1]),
      ]);
      const said = refused.json.detail.map(({ msg }: { msg: string }) =>
        msg.replace(/^.* added\. /, ""),
      );
      expect(said).toEqual(some.map(([, reason]) => reason));
    }
    expect((await call("GET", path)).json.latest_revision).toBe(0);
    expect((await add(path, good)).json.added).toBe(1);
  });

  it("take what looks redacted and is not: the caller had redacted it", async () => {
    const path = await makeSet();
    const inputs = {
      text: "I am [redacted:email], [redacted]",
      secret: "[secret:]",
      truncated: true,
    };
    expect((await add(path, await record({ inputs }))).json).toMatchObject({ added: 1 });
  });

  it("fit the route that the set is bound to", async () => {
    const app = await makeApplication(platform);
    const openapi = routesOpenapi({ "/summarize": {} });
    expect((await call("PUT", `${APPLICATIONS}/${app.slug}/schema`, openapi)).status).toBe(200);
    const path = await makeSet({ application: app.slug, route: "/summarize" });
    const good = await record({ inputs: { text: "a" } });
    const refused = await add(path, good, await record({ inputs: { text: 1 } }));
    expect(faults(refused)).toEqual([422, ["rows_invalid", "body", "spans", 1, "inputs", "text"]]);
    expect((await add(path, good)).json.added).toBe(1);
  });

  it("do not bring back what was purged", async () => {
    const path = await makeSet();
    const span = await record();
    await add(path, span);
    const [{ id }] = await rowsOf(path);
    expect((await call("POST", `${path}/rows/${id}/purge`)).status).toBe(204);
    expect(faults(await add(path, span))).toEqual([422, ["rows_invalid", "body", "spans", 0]]);
  });

  it("are 1 to 100 in a request, each named by ids", async () => {
    const path = await makeSet();
    const span = await record();
    expect((await add(path, ...Array(100).fill(span))).json).toMatchObject({ skipped: 99 });
    for (const spans of [[], Array(101).fill(span)]) {
      expect((await add(path, ...spans)).status).toBe(422);
    }
    expect(faults(await add(path, { trace_id: "a b" }))).toEqual([
      422,
      ["body_invalid", "body", "spans", 0, "trace_id"],
    ]);
    expect((await add(path, { ...span, output: true })).status).toBe(422);
    expect(faults(await add("/registry/testsets/nope", span))).toEqual([
      404,
      ["test_set_not_found", "path", "testset"],
    ]);
  });

  it("are read up to 32 MiB a request", async () => {
    const path = await makeSet();
    const ids = [];
    for (let n = 0; n < 9; n++) {
      ids.push(await record({ inputs: { n }, outputs: "x".repeat(4 * 1024 * 1024 - 2000) }));
    }
    const refused = await add(path, ...ids);
    expect(faults(refused)).toEqual([422, ["rows_invalid", "body", "spans", 8]]);
    expect(refused.json.detail[0].msg).toContain("add fewer at a time");
    expect((await add(path, ...ids.slice(1))).json.added).toBe(8);
    // With what is below them, spans that are not on top count as well.
    const { trace_id, span_id } = ids[0]!;
    const middle = spanIdOf(++made);
    const below = (id: string, parentId: string, outputs: string | null) =>
      storedSpan({
        traceId: trace_id,
        id,
        parentId,
        start: 5,
        route: "/b",
        inputs: { id },
        outputs,
      });
    await platform.append([below(middle, span_id, null)]);
    await platform.append([below(spanIdOf(++made), middle, "x".repeat(4 * 1024 * 1024))]);
    const inner = { trace_id, span_id: middle };
    expect(faults(await add(path, ...ids.slice(1, 7), inner, inner))).toEqual([
      422,
      ["rows_invalid", "body", "spans", 7],
    ]);
    expect((await add(path, ...ids.slice(1, 7), inner)).json.added).toBe(1);
  });
});

describe("what the SDK and the project's rules hide", () => {
  /** The spans of a call that an app with these settings makes, as the platform lists them. */
  async function recordWith(options: Parameters<typeof createApp>[0], text: string) {
    const application = `app-${++made}`;
    const app = createApp({ ...options, application, baseUrl: platform.server.url });
    const answer = app.route("/answer", { config: z.object({}) })(
      (inputs: { text: string }) => `Answer to ${inputs.text}`,
    );
    await answer({ text });
    await app.shutdown();
    const { items } = (await platform.get(`/observability/spans/?application=${application}`)).json;
    expect(items).toHaveLength(1);
    return { trace_id: items[0].trace_id };
  }

  it("is never added", async () => {
    const path = await makeSet();
    process.env.AGATE_TEST_SECRET = "secret-planted-in-spans";
    secret("AGATE_TEST_SECRET");
    delete process.env.AGATE_TEST_SECRET;
    const spans: [object, string][] = [
      [await recordWith({ redact: ["text"] }, "a"), "Redacted: parts"],
      [await recordWith({ redact: () => "nothing" }, "a"), "Redacted: parts"],
      [await recordWith({ captureContent: false }, "a"), "Redacted: parts"],
      [await recordWith({ contentLimit: 100 }, "a".repeat(200)), "Truncated: the inputs"],
      [await recordWith({}, "my secret-planted-in-spans"), "Redacted: a secret in the inputs"],
    ];
    const rules = { keys: [], patterns: ["email"], custom: [] };
    expect((await call("PUT", "/registry/redaction", rules)).status).toBe(200);
    spans.push([await recordWith({}, "joe@example.com"), "Redacted: parts"]);
    const refused = await add(path, ...spans.map(([span]) => span));
    expect(refused.json.detail.map(({ msg }: { msg: string }) => msg)).toEqual(
      spans.map(([, reason]) => expect.stringContaining(reason)),
    );
    const plain = await recordWith({ redact: ["password"] }, "plain");
    expect((await add(path, { ...plain, with_output: true })).json.added).toBe(1);
    expect(await rowsOf(path)).toMatchObject([
      { inputs: { text: "plain" }, expected: "Answer to plain" },
    ]);
  });
});

it("adding spans takes a key that may read them", async () => {
  const guarded = await startTestPlatform({ policy: "keys" });
  const span = storedSpan({ route: "/a", inputs: { n: 1 } });
  await guarded.store.append({ project: TEST_PROJECT, receivedAt: 1_000_000, spans: [span] });
  const send = async (scopes: ("evaluate" | "read")[], path: string, body: object) => {
    const { key } = await guarded.access.keys.create(TEST_PROJECT, { name: "key", scopes });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    return guarded.send({ method: "POST", path, headers, body: JSON.stringify(body) });
  };
  const all = "/registry/testsets";
  expect((await send(["evaluate"], all, { slug: "golden" })).status).toBe(201);
  const body = { spans: [{ trace_id: traceIdOf(1) }] };
  const path = `${all}/golden/spans`;
  expect(faults(await send(["evaluate"], path, body))).toEqual([
    403,
    ["scope_missing", "header", "authorization"],
  ]);
  expect((await send(["read"], path, body)).status).toBe(403);
  expect((await send(["evaluate", "read"], path, body)).status).toBe(201);
  await guarded.close();
});
