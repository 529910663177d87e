import type { Score } from "@agate/protocol";
import { afterAll, describe, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../../stores/contract/stored-span.fixture.ts";
import { openEventStream } from "../testing/event-stream.fixture.ts";
import type { TestResponse } from "../testing/send-request.fixture.ts";
import { startTestPlatform, TEST_PROJECT } from "../testing/test-platform.fixture.ts";

const NOW = Date.UTC(2026, 10, 1, 12);
const platform = await startTestPlatform({ now: () => NOW });
afterAll(() => platform.close());

const PATH = "/observability/scores/";
const HELPFUL = { trace_id: traceIdOf(1), name: "helpful", value: 0.8 };

function put(scores: unknown, headers: Record<string, string> = {}): Promise<TestResponse> {
  return platform.send({
    method: "POST",
    path: PATH,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ scores }),
  });
}

async function scoresOf(n: number): Promise<Score[] | undefined> {
  return (await platform.get(`/observability/traces/${traceIdOf(n)}/`)).json.metadata.scores;
}

describe("POST /observability/scores/", () => {
  it("stores scores, shows them with the span, and replaces them", async () => {
    await platform.append([storedSpan(), storedSpan({ id: spanIdOf(2), parentId: spanIdOf(1) })]);
    const sent = await put([
      HELPFUL,
      { trace_id: traceIdOf(1), span_id: spanIdOf(2), name: "safe", value: true },
      { trace_id: traceIdOf(1), name: "cites", status: "failed", error: "No answer." },
    ]);
    expect(sent.status).toBe(200);
    const [helpful, safe, cites] = sent.json.ids;
    const common = {
      trace_id: traceIdOf(1),
      span_id: null,
      label: null,
      explanation: null,
      source: { kind: "code", evaluator: null, version: null, person: null },
      error: null,
      created_at: "2026-11-01T12:00:00.000000Z",
      run: null,
      case: null,
      column: null,
      trial: null,
      metadata: null,
    };
    const ofTop = [
      { ...common, id: helpful, name: "helpful", value: 0.8, status: "ok" },
      { ...common, id: cites, name: "cites", value: null, status: "failed", error: "No answer." },
    ];
    expect(await scoresOf(1)).toEqual(expect.arrayContaining(ofTop));
    const inner = await platform.get(`/observability/spans/${spanIdOf(2)}/`);
    expect(inner.json.metadata.scores).toEqual([
      {
        ...common,
        id: safe,
        span_id: spanIdOf(2),
        name: "safe",
        value: 1,
        label: "yes",
        status: "ok",
      },
    ]);
    const again = await put([{ ...HELPFUL, value: false, explanation: "On second thoughts." }]);
    expect(again.json.ids).toEqual([helpful]);
    expect((await scoresOf(1))?.find(({ id }) => id === helpful)).toMatchObject({
      value: 0,
      label: "no",
      explanation: "On second thoughts.",
    });
  });

  it("finds traces by a score", async () => {
    await platform.append([
      storedSpan({ traceId: traceIdOf(20) }),
      storedSpan({ traceId: traceIdOf(21) }),
    ]);
    await put([{ trace_id: traceIdOf(20), name: "kind", value: 0.25 }]);
    const found = async (score: string) => {
      const query = new URLSearchParams({ score });
      const { json } = await platform.get(`/observability/traces/?${query}`);
      return json.items.map((item: { trace_id: string }) => item.trace_id);
    };
    expect(await found("kind<0.5")).toEqual([traceIdOf(20)]);
    expect(await found("kind<=0.25")).toEqual([traceIdOf(20)]);
    expect(await found("kind>0.25")).toEqual([]);
    expect(await found("kind:any")).toEqual([traceIdOf(20)]);
    expect(await found("kind:none")).toContain(traceIdOf(21));
    expect(await found("kind:none")).not.toContain(traceIdOf(20));
    const wrong = await platform.get("/observability/traces/?score=kind");
    expect(wrong.status).toBe(422);
    expect(wrong.json.detail[0]).toMatchObject({
      type: "value_not_allowed",
      loc: ["query", "score"],
    });
  });

  it.each([
    [{}, ["trace_id"], /Must be given/],
    [{ trace_id: "a b" }, ["trace_id"], /1 to 128 characters/],
    [{ trace_id: 7 }, ["trace_id"], /text/],
    [{ ...HELPFUL, name: "Very Helpful" }, ["name"], /"very-helpful"/],
    [{ ...HELPFUL, value: "high" }, ["value"], /a number, true or false/],
    [{ ...HELPFUL, value: null }, ["value"], /or a label/],
    [{ ...HELPFUL, status: "skipped" }, ["value"], /Must be left out/],
    [{ ...HELPFUL, status: "fine" }, ["status"], /"ok", "skipped" or "failed"/],
    [{ ...HELPFUL, label: "x".repeat(101) }, ["label"], /at most 100 characters/],
    [{ ...HELPFUL, explanation: "x".repeat(4001) }, ["explanation"], /at most 4000/],
    [{ ...HELPFUL, created_at: "yesterday" }, ["created_at"], /ISO 8601/],
    [{ ...HELPFUL, trial: -1 }, ["trial"], /0 or more/],
    [{ ...HELPFUL, metadata: [] }, ["metadata"], /an object/],
    [{ ...HELPFUL, metadata: { x: "x".repeat(4096) } }, ["metadata"], /4096/],
    [{ ...HELPFUL, source: "me" }, ["source"], /an object/],
    [{ ...HELPFUL, source: { kind: "robot" } }, ["source", "kind"], /"code"/],
    [{ ...HELPFUL, source: { who: "me" } }, ["source", "who"], /no such field/],
    [{ ...HELPFUL, rating: 5 }, ["rating"], /no such field/],
  ])("refuses %j and says what to send", async (score, path, msg) => {
    const refused = await put([HELPFUL, score]);
    expect(refused.status, refused.body.toString()).toBe(422);
    expect(refused.json.detail[0]).toMatchObject({
      type: expect.stringMatching(/^(body|id)_invalid$/),
      loc: ["body", "scores", 1, ...path],
      msg: expect.stringMatching(msg),
    });
  });

  it("takes 1 to 500 at a time", async () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ ...HELPFUL, trace_id: traceIdOf(1000 + n) }));
    expect((await put(many(500))).status).toBe(200);
    for (const scores of [[], many(501), "one", undefined]) {
      const refused = await put(scores);
      expect(refused.status).toBe(422);
      expect(refused.json.detail[0].loc).toEqual(["body", "scores"]);
    }
  });

  it("says which scores a full trace has no room for", async () => {
    const scores = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) => ({
        ...HELPFUL,
        trace_id: traceIdOf(30),
        case: `${from + n}`,
      }));
    await put(scores(0, 500));
    await put(scores(500, 999));
    const refused = await put(scores(998, 1001));
    expect(refused.status).toBe(422);
    expect(refused.json.detail).toMatchObject([
      { type: "score_limit", loc: ["body", "scores", 2] },
    ]);
    await platform.append([storedSpan({ traceId: traceIdOf(30) })]);
    expect(await scoresOf(30)).toHaveLength(1000);
  });

  it("shows scores that came first, and tells those who watch of later ones", async () => {
    const trace_id = traceIdOf(60);
    await put([{ ...HELPFUL, trace_id }]);
    const events = await openEventStream(platform.server.port, "/observability/live/");
    await platform.append([storedSpan({ traceId: trace_id })]);
    const first = await events.next();
    expect(first).toMatchObject({ event: "trace", data: { trace_id } });
    expect(first?.data.metadata.scores).toMatchObject([{ name: "helpful", value: 0.8 }]);
    await put([{ ...HELPFUL, trace_id, value: 0.1 }]);
    const second = await events.next();
    expect(second?.event).toBe("update");
    expect(second?.data.metadata.scores).toMatchObject([{ name: "helpful", value: 0.1 }]);
    events.close();
    const gone = await platform.send({
      method: "DELETE",
      path: `/observability/traces/${trace_id}/`,
    });
    expect(gone.status).toBeLessThan(300);
    await platform.append([storedSpan({ traceId: trace_id, id: spanIdOf(61) })]);
    const again = await platform.get(`/observability/traces/${trace_id}/`);
    expect(again.json.metadata?.scores).toBeUndefined();
  });

  it("lets a page judge as an end user only", async () => {
    const visitor = await platform.access.keys.create(TEST_PROJECT, {
      name: "page",
      scopes: ["score"],
    });
    const headers = { authorization: `Bearer ${visitor.key}` };
    const trace_id = traceIdOf(40);
    await platform.append([storedSpan({ traceId: trace_id })]);
    expect(
      (await put([{ ...HELPFUL, trace_id, source: { person: "visitor-7" } }], headers)).status,
    ).toBe(200);
    expect((await scoresOf(40))?.[0]?.source).toEqual({
      kind: "end_user",
      evaluator: null,
      version: null,
      person: "visitor-7",
    });
    for (const said of [
      { source: { kind: "human" } },
      { source: { evaluator: "judge" } },
      { run: "run-1" },
      { trial: 0 },
    ]) {
      const refused = await put([{ ...HELPFUL, trace_id, ...said }], headers);
      expect(refused.status).toBe(422);
      expect(refused.json.detail[0].msg).toMatch(/scope evaluate/);
    }
    const sized = (bytes: number, own: { [name: string]: string } = {}) =>
      platform.send({
        method: "POST",
        path: PATH,
        headers: { "content-type": "application/json", ...own },
        body: JSON.stringify({ scores: [{ ...HELPFUL, trace_id }] }).padEnd(bytes),
      });
    expect((await sized(64 * 1024, headers)).status).toBe(200);
    expect((await sized(64 * 1024 + 1, headers)).status).toBe(413);
    expect((await sized(8 * 1024 ** 2)).status).toBe(200);
    expect((await sized(8 * 1024 ** 2 + 1)).status).toBe(413);
    const read = await platform.send({ path: "/observability/traces/", headers });
    expect(read.status).toBe(403);
  });
});
