import { trace } from "@opentelemetry/api";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Identity, identitySlot } from "../context/call-state.ts";
import { Collector } from "./collector.fixture.ts";
import { recordContent } from "./content-rules.ts";
import { createTelemetry } from "./create-telemetry.ts";
import { instrument } from "./instrument.ts";
import { resetOpenTelemetry, setUpOpenTelemetry } from "./otel-globals.fixture.ts";
import { span as openSpan } from "./span.ts";
import { type Telemetry, telemetrySlot } from "./telemetry.ts";
import { tracing } from "./tracing.ts";

let collector: Collector;
let telemetry: Telemetry;

beforeEach(async () => {
  resetOpenTelemetry();
  collector = await new Collector().start();
  telemetry = createTelemetry({
    baseUrl: collector.url,
    onWarning: () => undefined,
    // All of them end before the first request can be answered.
    limits: { maxSpans: 10_000 },
  });
});

afterEach(async () => {
  await telemetry.shutdown();
  await collector.stop();
  resetOpenTelemetry();
});

type Pause = "none" | "microtask" | "immediate" | "timer";

async function pause(kind: Pause): Promise<void> {
  if (kind === "microtask") await Promise.resolve();
  else if (kind === "immediate") await new Promise((resolve) => setImmediate(resolve));
  else if (kind === "timer") await new Promise((resolve) => setTimeout(resolve, 0));
}

interface Plan {
  readonly id: number;
  readonly pauses: readonly Pause[];
}

const step = instrument({ name: "step", kind: "TASK" })(async (plan: Plan, depth: number) => {
  await pause(plan.pauses[depth % plan.pauses.length]!);
  tracing.storeInternals({ [`depth${depth}`]: plan.id });
  // A library that knows only OpenTelemetry.
  telemetry.tracerProvider.getTracer("library").startActiveSpan(`library ${plan.id}`, (span) => {
    span.setAttribute("plan", plan.id);
    span.end();
  });
  if (depth > 0) await Promise.all([step(plan, depth - 1), streamed(plan)]);
  return { id: plan.id, depth };
});

async function streamed(plan: Plan): Promise<void> {
  for await (const value of generated(plan)) expect(value).toBe(plan.id);
}

const generated = instrument({ name: "generated" })(async function* (plan: Plan) {
  for (const kind of plan.pauses) {
    await pause(kind);
    tracing.storeMeta({ plan: plan.id });
    yield plan.id;
  }
});

function call(plan: Plan): Promise<void> {
  const identity: Identity = {
    application: `app ${plan.id}`,
    variantId: `variant ${plan.id}`,
    variantName: null,
    revision: plan.id,
    environment: "test",
  };
  return telemetrySlot.run(telemetry, () =>
    identitySlot.run(identity, async () => {
      const span = telemetry.startSpan(`call ${plan.id}`, { kind: "WORKFLOW" });
      recordContent(telemetry, span, "inputs", plan.id);
      const collection = telemetry.collect(span.spanContext().traceId, span.spanContext().spanId);
      await telemetry.withSpan(span, async () => {
        await pause(plan.pauses[0]!);
        await step(plan, 2);
        await openSpan("block", async (block) => {
          await pause(plan.pauses.at(-1)!);
          expect(trace.getActiveSpan()?.spanContext()).toEqual(block.spanContext());
        });
      });
      span.end();
      const record = JSON.parse(await collection.take());
      const texts = JSON.stringify(record).matchAll(/"(?:app|variant) (\d+)"/g);
      expect(new Set([...texts].map((match) => match[1]))).toEqual(new Set([String(plan.id)]));
    }),
  );
}

function checkSpans(plans: readonly Plan[]): void {
  const byId = new Map(collector.spans.map((span) => [span.spanId, span]));
  expect(byId.size).toBe(collector.spans.length);
  // call, block; step and library 3 times; generated twice.
  expect(collector.spans).toHaveLength(plans.length * (2 + 3 + 3 + 2));
  for (const span of collector.spans) {
    const id = span.attributes.get("ag.variant.revision");
    const parent = span.parentSpanId === null ? undefined : byId.get(span.parentSpanId);
    if (span.name === `call ${id}`) expect(span.parentSpanId).toBeNull();
    else {
      expect(parent?.traceId).toBe(span.traceId);
      expect(parent?.attributes.get("ag.variant.revision")).toBe(id);
      expect(parent?.name).toMatch(parentNameOf(span.name, Number(id)));
    }
    for (const [key, value] of span.attributes) {
      if (key.startsWith("ag.content")) expect(String(value)).toMatch(mentionsOnly(Number(id)));
      if (key === "plan") expect(value).toBe(id);
    }
  }
}

function parentNameOf(name: string, id: number): RegExp {
  if (name === "block") return new RegExp(`^call ${id}$`);
  if (name === "step") return new RegExp(`^(call ${id}|step)$`);
  return /^step$/;
}

/** Plan ids are above 1,000; no other number in the content is. */
function mentionsOnly(id: number): RegExp {
  return new RegExp(`^(?:(?!\\d{4,}).|${id})*$`, "s");
}

const pauses = fc.array(fc.constantFrom<Pause>("none", "microtask", "immediate", "timer"), {
  minLength: 1,
  maxLength: 4,
});

describe.each(["no set-up", "an existing set-up"])("many calls at once, with %s", (setUp) => {
  it("never see each other's identity, parents or content", async () => {
    if (setUp === "an existing set-up") setUpOpenTelemetry();
    const [plans] = fc.sample(
      fc
        .array(pauses, { minLength: 300, maxLength: 300 })
        .map((all) => all.map((each, index) => ({ id: 1_000 + index, pauses: each }))),
      { numRuns: 1 },
    );
    const running: Promise<void>[] = [];
    for (const plan of plans!) running.push(call(plan));
    await Promise.all(running);
    await telemetry.flush();
    expect(telemetry.statistics()).toMatchObject({ dropped: 0, faults: 0 });
    checkSpans(plans!);
  });
});
