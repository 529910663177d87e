import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { expect, it } from "vitest";
import { createApiClient } from "../api-client/api-client.ts";
import { ApiFailure } from "../api-client/api-failure.ts";
import { ImportTally } from "./import-tally.ts";
import { phoenix } from "./phoenix-product.ts";
import { ImportSender } from "./send-import.ts";

/** A platform that answers the requests one after the other; the last answer stays. */
async function platformWith(...answers: ((response: ServerResponse) => void)[]) {
  const bodies: unknown[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(await json(request));
    answers[Math.min(bodies.length, answers.length) - 1]?.(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const connection = { url: `http://127.0.0.1:${port}`, apiKey: undefined, project: undefined };
  const tally = new ImportTally();
  const sender = new ImportSender(createApiClient(connection), tally, new AbortController().signal);
  return { sender, tally, bodies, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const answer = (status: number, body: object) => (response: ServerResponse) =>
  void response
    .writeHead(status, { "content-type": "application/json", "retry-after": "0" })
    .end(JSON.stringify(body));
const ok = answer(200, {});
const problem = (status: number, msg: string) =>
  answer(status, { detail: [{ type: "problem", loc: [], msg }] });

const SPAN = { span: { name: "a" }, scope: {} };

it("sends again what the platform was too busy for", async () => {
  const busy = [problem(503, "busy"), ...Array(6).fill(problem(429, "busy"))];
  await using platform = await platformWith(...busy, ok);
  await platform.sender.sendSpans([SPAN]);
  expect(platform.bodies).toHaveLength(8);
  expect(platform.tally.spans).toBe(1);
});

it("gives up where the platform stays busy, or wants a key", async () => {
  await using busy = await platformWith(problem(503, "busy"));
  await expect(busy.sender.sendSpans([SPAN])).rejects.toThrow(ApiFailure);
  expect(busy.bodies).toHaveLength(8);
  await using closed = await platformWith(problem(401, "no key"));
  await expect(closed.sender.sendSpans([SPAN])).rejects.toThrow(ApiFailure);
  expect(closed.bodies).toHaveLength(1);
});

it("sends annotations one by one where some cannot be stored", async () => {
  const row = (id: string) => ({
    span_id: id,
    name: "helpful",
    annotator_kind: "CODE",
    result: { score: 1 },
  });
  const scores = ["1", "2"].flatMap((id) => phoenix.read(row(id))?.scores ?? []);
  await using platform = await platformWith(problem(404, "no span"), ok, problem(404, "no span"));
  await platform.sender.sendScores(scores);
  expect(platform.bodies).toMatchObject([
    { data: [row("1"), row("2")] },
    { data: [row("1")] },
    { data: [row("2")] },
  ]);
  expect(platform.tally.scores).toBe(1);
  expect(platform.tally.skipped).toEqual([
    { reason: "an annotation: no span", count: 1, first: null },
  ]);
});

it("takes annotations of a span from its row", () => {
  const read = phoenix.read({
    name: "chat",
    start_time: "2026-05-29T13:46:19Z",
    context: { trace_id: "t", span_id: "1111222233334444" },
    annotations: [{ name: "helpful", annotator_kind: "LLM", result: { label: "good" } }],
  });
  expect(read?.scores).toMatchObject([
    { target: "phoenix-span", score: { span_id: "1111222233334444", result: { label: "good" } } },
  ]);
});

it("counts reasons together beyond the twentieth", () => {
  const tally = new ImportTally();
  for (let n = 0; n < 22; n++) tally.skip(`reason ${n}`, null);
  tally.skip("reason 0", null);
  expect(tally.skipped).toHaveLength(21);
  expect(tally.skipped[0]).toMatchObject({ reason: "reason 0", count: 2 });
  expect(tally.skipped[20]).toMatchObject({ reason: "other reasons", count: 2 });
});
