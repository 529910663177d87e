import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import type { SpanRecord } from "@agate/protocol";
import * as ag from "@agate/sdk";
import { describe, expect, it } from "vitest";
import { readTrace, spansOf } from "../clients/read-back.ts";
import { startServer } from "../running-server.ts";
import { pause, randomPlans, STEPS } from "./random-steps.ts";
import { type Plan, spansOfPlan, watchfulApp } from "./watchful-app.ts";

const CALLS = 1_000;
const READERS = 8;
const SEED = Number(process.env.AGATE_TEST_SEED ?? 20_261_115);

interface Sent {
  readonly status: number | undefined;
  readonly text: string;
}

/** Not by `fetch`, which gives a connection up after ten seconds: a thousand at once may take longer. */
async function sendByHttp(url: string, body: string): Promise<Sent> {
  const headers = { "content-type": "application/json" };
  const outgoing = request(url, { method: "POST", agent: false, headers });
  outgoing.end(body);
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  return { status: response.statusCode, text: await text(response) };
}

async function sendInside(app: ag.App, path: string, body: string): Promise<Sent> {
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body };
  const response = await app.fetch(new Request(`http://workflow.test${path}`, init));
  return { status: response.status, text: await response.text() };
}

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

/** Has a variant for each call, and takes its time in one of several ways. */
const variants: ag.ConfigSource = {
  async resolve(reference) {
    const variant = reference.by === "variant" ? reference.variant : "none";
    const own = Number(variant.replace("variant-", ""));
    await pause(STEPS[own % STEPS.length]!, own);
    const resolved = {
      application: { id: "id-of-watchful", slug: "watchful" },
      variant: { id: `id-of-${variant}`, slug: variant, revision: 1 },
      environment: null,
      params: { "/watch": configOf(own) },
    };
    return { kind: "resolved", stale: false, resolved };
  },
  close: async () => {},
};

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
    await using platform = await startServer();
    const app = watchfulApp({
      application: "watchful",
      baseUrl: platform.url,
      configSource: variants,
      // A machine that is busy with other things may take longer than a process should wait.
      limits: { timeoutMs: 60_000, flushMs: 60_000 },
    });
    const serving = way === "over HTTP" ? await ag.serve({ app, port: 0, signals: false }) : null;
    const send = (path: string, body: string) =>
      serving === null ? sendInside(app, path, body) : sendByHttp(`${serving.url}${path}`, body);

    const all = plans();
    const answers = await Promise.all(
      all.map(async (plan) => {
        const { path, body } = bodyOf(plan);
        const sent = await send(path, JSON.stringify(body));
        expect(sent.status, sent.text).toBe(200);
        return JSON.parse(sent.text) as Answer;
      }),
    );
    await app.flush();
    expect(app.telemetry.statistics()).toMatchObject({ dropped: 0, queued: 0, faults: 0 });

    expect(new Set(answers.map(({ trace_id }) => trace_id)).size).toBe(CALLS);
    const rest = [...all.entries()];
    const checkSome = async () => {
      for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
        const [index, plan] = next;
        const answer = answers[index]!;
        check(plan, answer, await readTrace(platform.url, answer.trace_id));
      }
    };
    await Promise.all(Array.from({ length: READERS }, checkSome));
    await (serving === null ? app.shutdown() : serving.close());
  });
});
