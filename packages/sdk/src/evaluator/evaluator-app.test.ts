import { CALL_HEADERS, RUN_HEADER, type ScorerIdentity } from "@agate/protocol/evaluator";
import { expect, it } from "vitest";
import { declaredRoute } from "../app/app.ts";
import { createApp } from "../app/create-app.ts";
import { toNodeHandler } from "../app/to-node-handler.ts";
import { BaseModel } from "../config/base-model.ts";
import { Field, float, str } from "../config/field.ts";
import { checks } from "../evals/checks.ts";
import { evaluation } from "../evals/evaluation.ts";
import { judge } from "../evals/judge.ts";
import { scorer } from "../evals/scorer.ts";
import { HttpError } from "../routes/http-error.ts";
import { toResponse } from "../server/answer.ts";
import { fromRequest } from "../server/incoming-call.ts";
import { instrument } from "../tracing/instrument.ts";
import { EvaluatorApp } from "./evaluator-app.ts";

class EchoConfig extends BaseModel {
  prefix = Field(str, { default: ">" });
}
const search = instrument({ name: "search", kind: "TOOL" })(async (text: string) => text);
const ask = instrument({ name: "ask", kind: "LLM" })(async () => "answered");
const inner = createApp({ disabled: true });
const app = createApp({ disabled: true, exposeErrors: true });
const echo = app.route(
  "/echo",
  EchoConfig,
)(async ({ text }: { text: string }, { config, evaluation: item }) => {
  if (text === "busy") {
    const headers = new Headers({ "retry-after": "2" });
    throw new Error("no answer", {
      cause: Object.assign(new Error("429"), { status: 429, headers }),
    });
  }
  if (text === "wrong") throw new HttpError(422, "Not this one.");
  if (text === "model") await ask();
  await search(text);
  return { text: config.prefix + text, item: item ?? null };
});
class StrictnessConfig extends BaseModel {
  points = Field(float, { default: 0.5, ge: 0, le: 1 });
}
const strictness = scorer(
  "strictness",
  StrictnessConfig,
)((_: unknown, { config }) => config.points);
const tested = evaluation("evaluator-app", {
  route: echo,
  testset: [{ inputs: { text: "a" } }],
  expected: { "~standard": { version: 1, vendor: "test", validate: expectText } },
  scorers: {
    searched: checks.calls("search"),
    right: ({ output }) => output.text === ">a",
    strict: strictness,
    fair: judge({ model: async () => '{"value": 0.5}', prompt: "Is it fair?" }),
  },
});

function expectText(value: unknown) {
  return typeof value === "string"
    ? { value: value.toUpperCase() }
    : { issues: [{ message: "Must be a text." }] };
}

const declared = declaredRoute(echo)!;
const item = { run: "run-1", case: "ümlaut", trial: 1 };
const header = { [RUN_HEADER]: encodeURIComponent(JSON.stringify({ ...item, config: "code" })) };

async function send(
  evaluator: EvaluatorApp,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const request = new Request(`http://evaluator.test${path}`, {
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    headers: { "content-type": "application/json", ...headers },
  });
  const response = toResponse(await evaluator.answer(fromRequest(request)));
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape.
  const answered = (await response.json()) as any;
  return { status: response.status, headers: response.headers, body: answered };
}

const evaluator = () => new EvaluatorApp([{ evaluation: tested, declared }], [declared.app]);

it("lists evaluations with the versions of their scorers", async () => {
  const { body } = await send(evaluator(), "/evaluations");
  expect(body).toEqual([
    expect.objectContaining({ name: "evaluator-app", route: "/echo", trials: 1, gate: null }),
  ]);
  const [{ scorers }] = body;
  expect(scorers.map(({ name, kind }: ScorerIdentity) => [name, kind])).toEqual([
    ["searched", "code"],
    ["right", "code"],
    ["strict", "code"],
    ["fair", "model"],
  ]);
  for (const { version } of scorers) expect(version).toMatch(/^[0-9a-f]{12}$/);
});

it("tells a call of a run its item, with the code's defaults and its figures", async () => {
  const answer = await send(evaluator(), "/run/echo", { inputs: { text: "a" } }, header);
  expect(answer.body.data).toEqual({ text: ">a", item });
  expect(Number(answer.headers.get(CALL_HEADERS.latency))).toBeGreaterThan(0);
  expect(answer.headers.get(CALL_HEADERS.cost)).toBe("0");
});

it("says nothing of the cost of a model call without tokens", async () => {
  const answer = await send(evaluator(), "/run/echo", { inputs: { text: "model" } }, header);
  expect(answer.status).toBe(200);
  expect(answer.headers.get(CALL_HEADERS.cost)).toBeNull();
});

it("finds an overloaded model in what was thrown, and nothing in a refusal", async () => {
  const busy = await send(evaluator(), "/run/echo", { inputs: { text: "busy" } }, header);
  expect(busy.status).toBe(500);
  expect(busy.headers.get(CALL_HEADERS.overload)).toBe("429");
  expect(busy.headers.get(CALL_HEADERS.retryAfter)).toBe("2000");
  const wrong = await send(evaluator(), "/run/echo", { inputs: { text: "wrong" } }, header);
  expect(wrong.status).toBe(422);
  expect(wrong.headers.get(CALL_HEADERS.overload)).toBeNull();
});

it("ignores the header of a run in everything that an app serves", async () => {
  const init = {
    method: "POST",
    body: JSON.stringify({ config: {}, inputs: { text: "a" } }),
    headers: { "content-type": "application/json", ...header },
  };
  const fetched = await app.fetch(new Request("http://app.test/playground/run/echo", init));
  expect(await fetched.json()).toMatchObject({ data: { item: null } });

  const { createServer } = await import("node:http");
  const server = createServer(toNodeHandler(app)).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  const mounted = await fetch(`http://127.0.0.1:${port}/playground/run/echo`, init);
  expect(await mounted.json()).toMatchObject({ data: { item: null } });
  // The evaluator's own paths are not the application's.
  for (const path of ["/evaluations", "/evaluations/evaluator-app/score"]) {
    expect((await fetch(`http://127.0.0.1:${port}${path}`, init)).status).toBe(404);
  }
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

it("refuses a header that it cannot read: the call would run as one of no evaluation", async () => {
  const unreadable = { [RUN_HEADER]: "{}" };
  const answer = await send(evaluator(), "/run/echo", { inputs: { text: "a" } }, unreadable);
  expect(answer.status).toBe(500);
  expect(answer.body.detail[0].msg).toContain(RUN_HEADER);
});

it("names the cases that do not fit", async () => {
  const rows = [
    { id: "one", inputs: { text: "a" }, expected: "fine" },
    { id: "two", inputs: { text: "a" }, expected: 7 },
  ];
  const { body } = await send(evaluator(), "/evaluations/evaluator-app/check", { rows });
  expect(body.faults).toEqual([{ id: "two", path: ["expected"], msg: "Must be a text." }]);
});

it("scores an output by the tree of its call, once", async () => {
  const served = evaluator();
  const called = await send(served, "/run/echo", { inputs: { text: "a" } }, header);
  const { trace_id, span_id, data } = called.body;
  const request = {
    ...item,
    inputs: { text: "a" },
    output: data,
    expected: "x",
    span: { trace_id, span_id },
  };
  const path = "/evaluations/evaluator-app/score";
  const first = await send(served, path, request);
  expect(first.body).toEqual({
    scores: {
      searched: { status: "ok", value: 1, label: "yes", explanation: "search" },
      right: { status: "ok", value: 1, label: "yes" },
      strict: { status: "ok", value: 0.5 },
      fair: { status: "ok", value: 0.5 },
    },
    cost: 0,
  });
  const again = await send(served, path, { ...request, scorers: ["searched"] });
  expect(again.body.scores).toEqual({
    searched: { status: "failed", error: expect.stringContaining("trace is not kept") },
  });
});

it("tells how a scorer can be configured, and scores with the configuration of a run", async () => {
  const served = evaluator();
  const [{ scorers }] = (await send(served, "/evaluations")).body;
  const strict = scorers.find(({ name }: ScorerIdentity) => name === "strict");
  expect(strict.config).toMatchObject({
    name: "strictness",
    fields: { points: { type: "number", minimum: 0, maximum: 1, default: 0.5 } },
    defaults: { points: 0.5 },
  });
  const request = { ...item, inputs: {}, output: {}, expected: "x", span: null };
  const path = "/evaluations/evaluator-app/score";
  const score = async (configs: object) =>
    (await send(served, path, { ...request, scorers: ["strict"], configs })).body.scores;
  expect(await score({ strictness: { points: 1 } })).toEqual({
    strict: { status: "ok", value: 1 },
  });
  expect(await score({ strict: { points: 1 } })).toEqual({ strict: { status: "ok", value: 0.5 } });
});

it("runs only on routes of an app", () => {
  expect(declaredRoute(() => 1)).toBeUndefined();
  expect(declared.app).toBe(app);
  expect(declared.app).not.toBe(inner);
});
