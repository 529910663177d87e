import type { Score } from "@agate/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../../../stores/contract/stored-span.fixture.ts";
import type { TestPlatform } from "../../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../../testing/test-platform.fixture.ts";

const NOW = Date.UTC(2026, 10, 1, 12);
let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform({ now: () => NOW });
});
afterAll(() => platform.close());

function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  const all = { "content-type": "application/json", ...headers };
  return platform.send({ method: "POST", path, headers: all, body: JSON.stringify(body) });
}

async function append(trace: number): Promise<void> {
  const traceId = traceIdOf(trace);
  await platform.append([
    storedSpan({ traceId, id: spanIdOf(trace) }),
    storedSpan({ traceId, id: spanIdOf(trace + 1000), parentId: spanIdOf(trace) }),
  ]);
}

async function scoresOf(spanId: string): Promise<Score[] | undefined> {
  return (await platform.get(`/observability/spans/${spanId}/`)).json.metadata.scores;
}

describe("Langfuse", () => {
  const SCORES = "/api/public/scores";
  /** As the Python SDK 5.0.4 sends it. */
  const sent = (trace: number, changes: object = {}) => ({
    id: "a1b2c3d4e5f60718",
    traceId: traceIdOf(trace),
    name: "Answer relevance",
    value: 0.75,
    comment: "Says what was asked.",
    environment: "default",
    dataType: "NUMERIC",
    timestamp: "2026-10-31T10:00:00.000Z",
    ...changes,
  });

  it("scores traces and observations, and replaces those with the same id", async () => {
    await append(1);
    const first = await post(SCORES, [
      sent(1),
      sent(1, { id: "2", observationId: spanIdOf(1001), name: "tone", value: "formal" }),
      sent(1, { id: "3", name: "safe", value: 1, dataType: "BOOLEAN", metadata: ["a"] }),
    ]);
    expect([first.status, first.json]).toEqual([202, { message: "Accepted" }]);
    const again = await post(SCORES, [sent(1, { value: 0.25 }), sent(1, { id: "4", value: 1 })]);
    expect(again.status).toBe(202);
    const scores = (await scoresOf(spanIdOf(1))) ?? [];
    expect(
      scores.toSorted((a, b) => (`${a.value} ${b.name}` < `${b.value} ${a.name}` ? -1 : 1)),
    ).toMatchObject([
      {
        name: "answer-relevance",
        value: 0.25,
        explanation: "Says what was asked.",
        source: { kind: "code" },
        created_at: "2026-10-31T10:00:00.000000Z",
      },
      { name: "safe", value: 1, label: "yes", metadata: { value: ["a"] } },
      { name: "answer-relevance", value: 1 },
    ]);
    expect(await scoresOf(spanIdOf(1001))).toMatchObject([
      { name: "tone", value: null, label: "formal" },
    ]);
  });

  it("is told which scores were rejected, and why, and the others are kept", async () => {
    await append(2);
    const bad: [object, RegExp][] = [
      [{ traceId: undefined, sessionId: "s1" }, /not sessions/],
      [{ name: "!" }, /^name must/],
      [{ name: "x".repeat(65) }, /^name must/],
      [{ value: null }, /^value must/],
      [{ traceId: "not an id" }, /^traceId/],
      [{ observationId: "not an id" }, /^observationId/],
      [{ metadata: { text: "x".repeat(4096) } }, /4096 characters/],
    ];
    const batch = [sent(2), ...bad.map(([changes]) => sent(2, changes)), "text"];
    const { status, json } = await post(SCORES, batch);
    expect([status, json.accepted, json.rejected]).toEqual([207, 1, bad.length + 1]);
    for (const [n, [, reason]] of bad.entries()) expect(json.errors[n].message).toMatch(reason);
    expect(await scoresOf(spanIdOf(2))).toHaveLength(1);
  });

  it("may send one score, and gets its id", async () => {
    await append(3);
    const one = await post(SCORES, sent(3));
    expect([one.status, one.json]).toEqual([200, { id: "a1b2c3d4e5f60718" }]);
    const own = await post(SCORES, sent(3, { id: undefined }));
    expect(own.json.id).toMatch(/^[0-9a-f]{32}$/);
    const refused = await post(SCORES, sent(3, { value: {} }));
    expect(refused.status).toBe(422);
    expect(refused.json.detail).toMatchObject([{ type: "body_invalid" }]);
  });

  it.each([
    ["no list", { scores: 1 }, "/api/public/ingestion"],
    ["no object", "text", SCORES],
    ["nothing", [], SCORES],
    ["501 scores", Array.from({ length: 501 }, () => ({})), SCORES],
  ])("is refused with %s", async (_, body, path) => {
    const { status, json } = await post(path, body);
    expect(status).toBe(422);
    expect(json.detail).toMatchObject([{ type: "body_invalid", loc: ["body"] }]);
  });

  it("may send 500 scores at a time", async () => {
    const many = Array.from({ length: 500 }, (_, n) => sent(4, { id: String(n) }));
    expect((await post(SCORES, many)).status).toBe(202);
  });

  it("of before version 5 sends events, each of which is answered", async () => {
    await append(5);
    const { status, json } = await post("/api/public/ingestion", {
      batch: [
        { id: "e1", type: "score-create", timestamp: "2026-10-31T10:00:00Z", body: sent(5) },
        { id: "e2", type: "trace-create", timestamp: "2026-10-31T10:00:00Z", body: {} },
        { id: "e3", type: "score-create", timestamp: "2026-10-31T10:00:00Z", body: {} },
      ],
      metadata: { sdk_name: "python" },
    });
    expect(status).toBe(207);
    expect(json.successes).toEqual([{ id: "e1", status: 201 }]);
    expect(json.errors).toMatchObject([
      { id: "e2", status: 400, message: expect.stringContaining("/api/public/otel/v1/traces") },
      { id: "e3", status: 400, message: expect.stringMatching(/^name must/) },
    ]);
    expect(await scoresOf(spanIdOf(5))).toHaveLength(1);
  });

  it("checks its keys", async () => {
    const authorization = `Basic ${Buffer.from("pk-lf-1:sk-lf-1").toString("base64")}`;
    const path = "/api/public/projects";
    const { status, json } = await platform.send({ path, headers: { authorization } });
    expect([status, json.data]).toEqual([
      200,
      [expect.objectContaining({ id: "default", name: "default", metadata: {} })],
    ]);
    const { key } = await platform.access.keys.create("default", { name: "x", scopes: ["run"] });
    const other = { authorization: `Basic ${Buffer.from(`pk:${key}`).toString("base64")}` };
    expect((await platform.send({ path, headers: other })).status).toBe(403);
  });
});

describe("Phoenix", () => {
  const annotation = (changes: object) => ({
    name: "correctness",
    annotator_kind: "LLM",
    result: { label: "correct", score: 0.9, explanation: "As in the book." },
    metadata: { model: "judge" },
    ...changes,
  });

  it("annotates spans that are there, by name and identifier", async () => {
    await append(20);
    const span_id = spanIdOf(1020);
    const { status, json } = await post("/v1/span_annotations?sync=true", {
      data: [
        annotation({ span_id }),
        annotation({ span_id, identifier: "second", annotator_kind: "HUMAN" }),
        annotation({ span_id, name: "Note", annotator_kind: "CODE", result: { explanation: "!" } }),
      ],
    });
    expect(status).toBe(200);
    expect(json.data).toHaveLength(3);
    await post("/v1/span_annotations", {
      data: [annotation({ span_id, result: { score: 0 }, identifier: "" })],
    });
    const scores = ((await scoresOf(span_id)) ?? []).toSorted((a, b) =>
      (a.label ?? "") < (b.label ?? "") ? -1 : 1,
    );
    expect(scores).toMatchObject([
      { id: json.data[0].id, trace_id: traceIdOf(20), value: 0, source: { kind: "model" } },
      { id: json.data[1].id, value: 0.9, label: "correct", source: { kind: "human" } },
      { name: "note", value: null, label: "note", explanation: "!", source: { kind: "code" } },
    ]);
  });

  it("is told of spans that are not there yet, and the others are stored", async () => {
    await append(21);
    const { status, json } = await post("/v1/span_annotations", {
      data: [annotation({ span_id: spanIdOf(21) }), annotation({ span_id: "feedfeedfeedfeed" })],
    });
    expect(status).toBe(404);
    expect(json.detail).toMatchObject([{ type: "span_not_found", loc: ["body", "data", 1] }]);
    expect(await scoresOf(spanIdOf(21))).toHaveLength(1);
  });

  it("annotates traces, before their spans too", async () => {
    const { status } = await post("/v1/trace_annotations", {
      data: [annotation({ trace_id: traceIdOf(22) })],
    });
    expect(status).toBe(200);
    await append(22);
    expect(await scoresOf(spanIdOf(22))).toMatchObject([{ name: "correctness", span_id: null }]);
  });

  it.each([
    [{ annotator_kind: "constructor" }, /^annotator_kind/],
    [{ result: {} }, /^result must/],
    [{ name: 1 }, /^name must/],
    [{ trace_id: 1 }, /^trace_id/],
    [{ metadata: { text: "x".repeat(4096) } }, /4096 characters/],
  ])("is refused with %j", async (changes, reason) => {
    const trace_id = traceIdOf(23);
    const { status, json } = await post("/v1/trace_annotations", {
      data: [annotation({ trace_id, ...changes })],
    });
    expect(status).toBe(422);
    expect(json.detail[0].msg).toMatch(reason);
  });
});

it("hides what the project's rules hide, and makes a visitor's scores an end user's", async () => {
  const rules = { keys: [], patterns: ["email"], custom: [] };
  const put = { method: "PUT", path: "/registry/redaction" };
  const json = { "content-type": "application/json" };
  await platform.send({ ...put, headers: json, body: JSON.stringify(rules) });
  const { key } = await platform.access.keys.create("default", { name: "v", scopes: ["score"] });
  await append(30);
  const score = { traceId: traceIdOf(30), name: "thumb", value: 1, comment: "ada@example.com" };
  const visitor = { "x-api-key": key };
  expect((await post("/api/public/scores", [score], visitor)).status).toBe(202);
  expect(await scoresOf(spanIdOf(30))).toMatchObject([
    { explanation: "[redacted:email]", source: { kind: "end_user" } },
  ]);
  const large = { ...score, comment: "x".repeat(64 * 1024) };
  expect((await post("/api/public/scores", [large], visitor)).status).toBe(413);
  expect((await post("/api/public/scores", [large])).status).toBe(202);
});
