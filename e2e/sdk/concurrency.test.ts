import type { SpanRecord } from "@agate/protocol";
import * as ag from "@agate/sdk";
import { describe, expect, it } from "vitest";
import { TestRegistry } from "../../packages/sdk/src/config-source/test-registry.fixture.ts";
import { readTrace, spansOf } from "../clients/read-back.ts";
import { startServer } from "../running-server.ts";
import { randomPlans } from "./random-steps.ts";
import { type Plan, spansOfPlan, watchfulApp } from "./watchful-app.ts";

const CALLS = 1_000;
const SEED = Number(process.env.AGATE_TEST_SEED ?? 20_261_115);

interface Answer {
  readonly data: { readonly own: number; readonly strange: readonly string[] };
  readonly trace_id: string;
  readonly span_id: string;
}

function plans(): Plan[] {
  return randomPlans(CALLS, SEED).map((steps, own) => ({ own, steps }));
}

/** Every other call is deployed, to a variant of its own; the others bring their configuration. */
function bodyOf(plan: Plan): { path: string; body: object } {
  const { own } = plan;
  return own % 2 === 0
    ? { path: "/playground/run/watch", body: { config: configOf(own), inputs: plan } }
    : { path: "/run/watch", body: { variant: { slug: `variant-${own}` }, inputs: plan } };
}

function configOf(own: number) {
  return { own, temperature: own / CALLS };
}

function commitAll(registry: TestRegistry): void {
  for (let own = 1; own < CALLS; own += 2) {
    registry.commit({ "/watch": configOf(own) }, `variant-${own}`, "watchful");
  }
}

function check(plan: Plan, answer: Answer, record: SpanRecord): void {
  const { own } = plan;
  const spans = spansOf(record);
  expect(answer.data).toEqual({ own, strange: [] });
  expect(record).toMatchObject({
    id: answer.span_id,
    name: "invoke_workflow watch",
    config: configOf(own),
    content: { inputs: { own }, outputs: { own } },
    metadata: { attributes: { own } },
  });
  expect(spans).toHaveLength(spansOfPlan(plan));
  const name = own % 2 === 0 ? null : `variant-${own}`;
  for (const span of spans) {
    expect(span.variant.variant_name).toBe(name);
    expect(span.metadata.application).toBe("watchful");
    expect(span.status).toBe("OK");
    // Everything here is done by the call itself.
    if (span !== record) expect(span.parent_span_id).toBe(answer.span_id);
    const seen = span.metadata.attributes.own;
    if (seen !== undefined) expect(Math.abs(Number(seen))).toBe(own);
  }
}

describe(`${CALLS} calls at once, each with a configuration of its own`, () => {
  it.each(["over HTTP", "in the same process"])("see only what is theirs: %s", async (way) => {
    const registry = new TestRegistry();
    await registry.listen();
    commitAll(registry);
    await using platform = await startServer();
    const app = watchfulApp({
      application: "watchful",
      baseUrl: platform.url,
      configSource: ag.httpConfigSource({ baseUrl: registry.baseUrl }),
    });
    const serving = way === "over HTTP" ? await ag.serve({ app, port: 0, signals: false }) : null;
    const send = (path: string, init: RequestInit) =>
      serving === null
        ? app.fetch(new Request(`http://workflow.test${path}`, init))
        : fetch(`${serving.url}${path}`, init);

    const all = plans();
    const answers = await Promise.all(
      all.map(async (plan) => {
        const { path, body } = bodyOf(plan);
        const headers = { "content-type": "application/json" };
        const response = await send(path, { method: "POST", headers, body: JSON.stringify(body) });
        const text = await response.text();
        expect(response.status, text).toBe(200);
        return JSON.parse(text) as Answer;
      }),
    );
    await app.flush();
    expect(app.telemetry.statistics()).toMatchObject({ dropped: 0, queued: 0, faults: 0 });

    expect(new Set(answers.map(({ trace_id }) => trace_id)).size).toBe(CALLS);
    await Promise.all(
      all.map(async (plan, index) => {
        const answer = answers[index]!;
        check(plan, answer, await readTrace(platform.url, answer.trace_id));
      }),
    );
    await (serving === null ? app.shutdown() : serving.close());
    await registry.die();
  });
});
