import type { SpanRecord } from "@agate/protocol";
import { describe, expect, it } from "vitest";
import { BaseModel } from "../config/base-model.ts";
import { type EvaluationItem, evaluationSlot } from "../context/call-state.ts";
import { span } from "../tracing/span.ts";
import { answerOf, KnownConfig, post } from "./call-app.fixture.ts";
import { createApp } from "./create-app.ts";

class NoConfig extends BaseModel {}

const app = createApp({ application: "desk", configSource: new KnownConfig({}) });
const shout = app.route("/shout", NoConfig)(({ text }: { text: string }) => text.toUpperCase());
app.route(
  "/say",
  NoConfig,
)(async ({ text }: { text: string }) => {
  await Promise.resolve();
  return span("think", () => shout({ text }));
});

const BODY = { inputs: { text: "hello" } };

/** The attributes of a call's spans that tell of an evaluation, from the outermost in. */
function evaluationsOf(record: SpanRecord): Record<string, unknown>[] {
  const own = Object.entries(record.metadata.attributes).filter(([name]) =>
    name.startsWith("ag.evaluation."),
  );
  return [Object.fromEntries(own), ...(record.children ?? []).flatMap(evaluationsOf)];
}

async function evaluationsOfCall(item: EvaluationItem | undefined, headers = {}) {
  const call = () => answerOf(post(app, "/playground/run/say", BODY, { headers }));
  const { body } = await (item === undefined ? call() : evaluationSlot.run(item, call));
  return evaluationsOf(body.trace as SpanRecord);
}

describe("the spans of a call", () => {
  it("name the item of the evaluation run that it is made for, inner ones too", async () => {
    const named = {
      "ag.evaluation.run": "run-7",
      "ag.evaluation.case": "refund-1",
      "ag.evaluation.column": "default@9",
      "ag.evaluation.trial": 1,
    };
    const item = { run: "run-7", case: "refund-1", column: "default@9", trial: 0 };
    expect(await evaluationsOfCall(item)).toEqual([named, named, named]);
    const other = { "ag.evaluation.run": "run-8" };
    expect(await evaluationsOfCall({ run: "run-8" })).toEqual([other, other, other]);
  });

  it("name none where a request claims one: calls could be hidden from the dashboard", async () => {
    const claim = JSON.stringify({ run: "run-7", case: "refund-1", trial: 0 });
    const headers = {
      "agate-run": encodeURIComponent(claim),
      baggage: "ag.evaluation.run=run-7,agate-run=run-7",
    };
    expect(await evaluationsOfCall(undefined, headers)).toEqual([{}, {}, {}]);
  });
});
