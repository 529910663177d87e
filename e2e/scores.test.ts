import { createRequire } from "node:module";
import type { ScoreAnalytics } from "@agate/protocol";
import * as ag from "@agate/sdk";
import { createClient, sendScore } from "@agate/sdk/client";
import { ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { expect, it } from "vitest";
import { findTraces, readTrace } from "./clients/read-back.ts";
import { clientOf } from "./command-line/agate-client.ts";
import { startServer } from "./running-server.ts";

class Config extends ag.BaseModel {}

/** What OpenTelemetry's SDK for Node brings along to send logs. */
const ofSdk = createRequire(import.meta.resolve("@opentelemetry/sdk-node"));
const logs = ofSdk("@opentelemetry/sdk-logs");
const EXPORTERS = {
  protobuf: ofSdk("@opentelemetry/exporter-logs-otlp-proto").OTLPLogExporter,
  json: ofSdk("@opentelemetry/exporter-logs-otlp-http").OTLPLogExporter,
};

it("keeps scores from a workflow, a client, curl and log exporters, and finds and averages them", async () => {
  await using server = await startServer();
  const app = ag.createApp({ application: "desk", baseUrl: server.url });
  app.route(
    "/answer",
    Config,
  )(({ text }: { text: string }) => {
    ag.score({ name: "brief", value: text.length < 10, explanation: "By its length." });
    return text;
  });
  const client = createClient("http://desk.test", {
    fetch: (url, init) => app.fetch(new Request(url, init)),
  });
  const { traceId, spanId } = await client.answer!({ text: "Yes." }, { config: {} }).answer;
  const { traceId: other } = await client.answer!({ text: "At length, no." }, { config: {} })
    .answer;
  await app.flush();

  const platform = { baseUrl: server.url };
  await sendScore({ traceId, name: "helpful", value: true, kind: "human" }, platform);
  await sendScore({ traceId, name: "helpful", value: false, kind: "human" }, platform);
  const posted = await fetch(`${server.url}/observability/scores/`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ scores: [{ trace_id: other, name: "helpful", value: 1 }] }),
  });
  expect(posted.status).toBe(200);
  for (const [name, Exporter] of Object.entries(EXPORTERS)) {
    const exporter = new Exporter({ url: `${server.url}/v1/logs` });
    const provider = new logs.LoggerProvider({
      processors: [new logs.SimpleLogRecordProcessor({ exporter })],
    });
    const span = trace.wrapSpanContext({ traceId, spanId, traceFlags: 1 });
    provider.getLogger("judge").emit({
      eventName: "gen_ai.evaluation.result",
      context: trace.setSpan(ROOT_CONTEXT, span),
      attributes: { "gen_ai.evaluation.name": name, "gen_ai.evaluation.score.value": 0.25 },
    });
    await provider.forceFlush();
    await provider.shutdown();
  }

  const scores = (await readTrace(server.url, traceId)).metadata.scores ?? [];
  expect(scores.map(({ name, value, label }) => [name, value, label]).toSorted()).toEqual([
    ["brief", 1, "yes"],
    ["helpful", 0, "no"],
    ["json", 0.25, null],
    ["protobuf", 0.25, null],
  ]);
  const found = async (score: string) =>
    (await findTraces(server.url, `${new URLSearchParams({ score })}`)).map(
      (item) => item.trace_id,
    );
  expect(await found("helpful<0.5")).toEqual([traceId]);
  expect(await found("helpful>=0.5")).toEqual([other]);
  expect(await found("json:none")).toEqual([other]);

  const answer = await fetch(`${server.url}/observability/analytics/scores/?group_by=application`);
  const { names } = (await answer.json()) as ScoreAnalytics;
  const figures = names.map(({ name, count, mean, groups }) => [
    name,
    count,
    mean,
    groups?.[0]?.key,
  ]);
  expect(figures).toEqual([
    ["brief", 2, 0.5, "desk"],
    ["helpful", 2, 0.5, "desk"],
    ["json", 1, 0.25, "desk"],
    ["protobuf", 1, 0.25, "desk"],
  ]);

  const agate = clientOf(server.url);
  const listed = await agate("traces", "--score", "helpful<0.5", "--json");
  expect((JSON.parse(listed.stdout) as { items: unknown[] }).items).toHaveLength(1);
  expect((await agate("trace", traceId)).stdout).toMatch(/brief yes \(1\).*helpful no \(0\)/);
});
