import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ClientError } from "../../../../sdk/src/client/client-error.ts";
import {
  type SendScoreOptions,
  type SentScore,
  sendScore,
} from "../../../../sdk/src/client/send-score.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../../stores/contract/stored-span.fixture.ts";
import {
  startTestPlatform,
  TEST_PROJECT,
  type TestPlatform,
} from "../testing/test-platform.fixture.ts";

const PAGE = "https://app.example";

let platform: TestPlatform;
let keys: { readonly score: string; readonly evaluate: string; readonly read: string };
beforeAll(async () => {
  platform = await startTestPlatform({ policy: "keys", corsOrigins: [PAGE] });
  const key = async (scope: keyof typeof keys) =>
    (await platform.access.keys.create(TEST_PROJECT, { name: scope, scopes: [scope] })).key;
  keys = { score: await key("score"), evaluate: await key("evaluate"), read: await key("read") };
  await platform.append([
    storedSpan(),
    storedSpan({ id: spanIdOf(2), parentId: spanIdOf(1), start: 1 }),
  ]);
});
afterAll(() => platform.close());

const HELPFUL = { traceId: traceIdOf(1), name: "helpful", value: true } as const;

function send(score: SentScore, options: Partial<SendScoreOptions> = {}): Promise<string> {
  return sendScore(score, { baseUrl: platform.server.url, apiKey: keys.evaluate, ...options });
}

async function spanWith(id: string) {
  const headers = { authorization: `Bearer ${keys.read}` };
  return (await platform.send({ path: `/observability/spans/${id}/`, headers })).json.metadata;
}

/** A `fetch` that asks first, as a browser does on a page of this origin, and shows what it may. */
function browserFetch(origin: string): typeof fetch {
  return async (input, init) => {
    const url = String(input);
    const sent = new Headers(init?.headers);
    const ask = await fetch(url, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": init?.method ?? "GET",
        "access-control-request-headers": [...sent.keys()].join(","),
      },
    });
    const allowed = (name: string) => ask.headers.get(`access-control-allow-${name}`) ?? "";
    const isAllowed =
      ask.ok &&
      [origin, "*"].includes(allowed("origin")) &&
      allowed("methods")
        .split(", ")
        .includes(init?.method ?? "GET") &&
      [...sent.keys()].every((name) => allowed("headers").split(", ").includes(name));
    if (!isAllowed) throw new TypeError("Failed to fetch");
    sent.set("origin", origin);
    sent.set("sec-fetch-site", "cross-site");
    const response = await fetch(url, { ...init, headers: sent });
    if (response.headers.get("access-control-allow-origin") !== origin) {
      throw new TypeError("Failed to fetch");
    }
    return response;
  };
}

describe("sendScore", () => {
  it("judges a span with all that a score has, and replaces what it sent before", async () => {
    const score = {
      traceId: traceIdOf(1),
      spanId: spanIdOf(2),
      name: "grounded",
      value: 0.25,
      label: "poor",
      explanation: "Cites nothing.",
      kind: "model",
      evaluator: "judge",
      version: "2",
      person: "ada",
      createdAt: new Date(Date.UTC(2026, 10, 1)),
      metadata: { model: "small" },
    } as const;
    const id = await send(score);
    expect((await spanWith(spanIdOf(2))).scores).toEqual([
      {
        id,
        trace_id: traceIdOf(1),
        span_id: spanIdOf(2),
        name: "grounded",
        value: 0.25,
        label: "poor",
        explanation: "Cites nothing.",
        source: { kind: "model", evaluator: "judge", version: "2", person: "ada" },
        status: "ok",
        error: null,
        created_at: "2026-11-01T00:00:00.000000Z",
        run: null,
        case: null,
        column: null,
        trial: null,
        metadata: { model: "small" },
      },
    ]);
    const { value: _, ...unjudged } = score;
    expect(await send({ ...unjudged, status: "failed", error: "No answer." })).toBe(id);
    expect((await spanWith(spanIdOf(2))).scores).toMatchObject([
      { id, value: null, status: "failed", error: "No answer." },
    ]);
  });

  it("sends a thumb from a page that is allowed, with a key for pages", async () => {
    const visitor = { apiKey: keys.score, fetch: browserFetch(PAGE) };
    const id = await send(HELPFUL, visitor);
    expect(await send({ ...HELPFUL, value: false }, visitor)).toBe(id);
    expect((await spanWith(spanIdOf(1))).scores).toMatchObject([
      { id, value: 0, label: "no", source: { kind: "end_user" } },
    ]);
    // The page can read why it was refused.
    const refused = send({ ...HELPFUL, evaluator: "me" }, visitor);
    await expect(refused).rejects.toMatchObject({
      kind: "status",
      status: 422,
      detail: [{ loc: ["body", "scores", 0, "source", "evaluator"] }],
    });
  });

  it.each(["https://evil.example", "http://app.example", "null"])(
    "cannot be used on the page of %s",
    async (origin) => {
      const other = send(HELPFUL, { apiKey: keys.score, fetch: browserFetch(origin) });
      await expect(other).rejects.toMatchObject({ kind: "connection" });
    },
  );

  it("fails as calls of a client do", async () => {
    const failure = async (score: SentScore, options: Partial<SendScoreOptions> = {}) => {
      const error = await send(score, options).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ClientError);
      return error;
    };
    const url = `${platform.server.url}/observability/scores/`;
    expect(await failure({ ...HELPFUL, name: "Very Helpful" })).toMatchObject({
      kind: "status",
      url,
      status: 422,
      message: expect.stringContaining("very-helpful"),
    });
    expect(await failure(HELPFUL, { apiKey: "wrong" })).toMatchObject({ status: 401 });
    expect(await failure(HELPFUL, { apiKey: keys.read })).toMatchObject({ status: 403 });
    expect(await failure(HELPFUL, { signal: AbortSignal.abort() })).toMatchObject({
      kind: "aborted",
    });
    const page = async () => new Response("<h1>Welcome</h1>");
    expect(await failure(HELPFUL, { fetch: page })).toMatchObject({
      kind: "invalid_response",
      message: expect.stringMatching(/<h1>Welcome.* Is this the address of an Agate platform\?/),
    });
    const elsewhere = async () => Response.redirect("https://elsewhere.example/", 307);
    expect(await failure(HELPFUL, { fetch: elsewhere })).toMatchObject({ kind: "redirect" });
  });

  it("says what is misspelt before anything is sent", async () => {
    await expect(send(HELPFUL, { baseUrl: "localhost" })).rejects.toThrow(/platform's address/);
    const misspelt = { ...HELPFUL, trace_id: "a" } as SentScore;
    await expect(send(misspelt)).rejects.toThrow('did you mean "traceId"?');
    const option = { apikey: "a" } as Partial<SendScoreOptions>;
    await expect(send(HELPFUL, option)).rejects.toThrow('did you mean "apiKey"?');
  });
});
