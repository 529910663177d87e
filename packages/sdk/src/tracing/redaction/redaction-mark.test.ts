import { AGATE_ATTRIBUTES as AG } from "@agate/protocol";
import { type Attributes, type Link, type Span, SpanStatusCode } from "@opentelemetry/api";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { recordByRules } from "../content-rules.ts";
import { resetOpenTelemetry, setUpOpenTelemetry } from "../otel-globals.fixture.ts";
import { recordedSpans } from "../recorded-spans.fixture.ts";
import type { TelemetryOptions } from "../telemetry-options.ts";
import { tracing } from "../tracing.ts";
import { HIDDEN_KEYS, MARKER, plantedValue } from "./hidden-values.fixture.ts";

beforeEach(resetOpenTelemetry);
afterEach(resetOpenTelemetry);

/** What is done to one span. */
interface SpanPlan {
  /** Whose: made with Agate's tracer, or with the process's own. */
  readonly tracer: "agate" | "foreign";
  readonly name: string;
  readonly start: Attributes;
  readonly later: Attributes;
  readonly event: { readonly name: string; readonly attributes: Attributes } | null;
  readonly link: Attributes | null;
  readonly thrown: string | null;
  readonly status: string | null;
  readonly inputs: unknown;
  readonly meta: unknown;
  readonly ignoreInputs: boolean | readonly string[] | undefined;
}

const text = fc.constantFrom("plain", "", `email=${MARKER}`, '{"a":"no key"}', '{"email":"x"}');
const attributes: fc.Arbitrary<Attributes> = fc.dictionary(
  fc.constantFrom("a", "email", "app.email.domain", "ai.prompt", "gen_ai.request.model", AG.route),
  fc.oneof(
    text,
    fc.constantFrom(1, true, Number.NaN, ["x", "y"], ['{"cardNumber":1}']),
    plantedValue.map(({ value }) => JSON.stringify(value)),
  ),
  { maxKeys: 3, noNullPrototype: true },
);
const content = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, 0, "x", "[redacted]", { email: "[redacted]" }),
  plantedValue.map(({ value }) => value),
);
/** Seldom, so that often a single part of a span is what marks it. */
const seldom = <T, None>(value: fc.Arbitrary<T>, none: None): fc.Arbitrary<T | None> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(none) }, value);
const span: fc.Arbitrary<SpanPlan> = fc.record({
  tracer: fc.constantFrom("agate", "agate", "foreign"),
  name: seldom(fc.constant(`find email=${MARKER}`), "step"),
  start: seldom(attributes, {}),
  later: seldom(attributes, {}),
  event: seldom(
    fc.record({
      name: fc.constantFrom("seen", "gen_ai.user.message", "email=1"),
      attributes: seldom(attributes, {}),
    }),
    null,
  ),
  link: seldom(attributes, null),
  thrown: seldom(text, null),
  status: seldom(text, null),
  inputs: seldom(content, undefined),
  meta: seldom(content, undefined),
  ignoreInputs: fc.constantFrom(undefined, undefined, true, ["a"], ["nothing"]),
});
const settings = fc.constantFrom<TelemetryOptions>(
  { redact: HIDDEN_KEYS },
  { redact: HIDDEN_KEYS },
  { captureContent: false },
  { captureContent: false, redact: HIDDEN_KEYS },
  { redact: (value) => value },
  { redact: (value) => (typeof value === "object" ? null : value) },
);

interface SeenSpan {
  readonly isMarked: boolean;
  /** Everything but the mark, ids and times. */
  readonly rest: unknown;
}

interface Seen {
  readonly sent: readonly SeenSpan[];
  /** Copies of Agate's spans in the process's own set-up. */
  readonly twins: readonly SeenSpan[];
}

/** Does the same with any settings. */
async function seenWith(plans: readonly SpanPlan[], options: TelemetryOptions): Promise<Seen> {
  resetOpenTelemetry();
  let twins: readonly SeenSpan[] = [];
  const recorded = await recordedSpans((telemetry) => {
    const { provider, exporter } = setUpOpenTelemetry({
      spanProcessors: [telemetry.spanProcessor({ all: true })],
    });
    for (const [index, plan] of plans.entries()) {
      const name = `${index} ${plan.tracer} ${plan.name}`;
      const from = plan.tracer === "agate" ? telemetry.tracerProvider : provider;
      const started = from.getTracer("library").startSpan(name, { attributes: plan.start });
      change(started, plan);
      if (plan.tracer === "agate") {
        const { inputs, ignoreInputs } = plan;
        recordByRules({ ignoreInputs }, telemetry, started, "inputs", inputs);
        tracing.storeMeta({ meta: plan.meta }, started);
      }
      started.end();
    }
    twins = exporter
      .getFinishedSpans()
      .filter(({ name }) => / agate /.test(name))
      .map(({ name, attributes: given, events, links, status }) =>
        seen(name, given, [
          events.map((event) => [event.name, event.attributes ?? {}]),
          links.map((link) => link.attributes ?? {}),
          status.message ?? "",
        ]),
      );
  }, options);
  const byIndex = recorded.spans.toSorted((a, b) => parseInt(a.name, 10) - parseInt(b.name, 10));
  const sent = byIndex.map(({ name, attributes: given, events, links, statusMessage }) =>
    seen(name, Object.fromEntries(given), [
      events.map((event) => [event.name, Object.fromEntries(event.attributes)]),
      links.map((link) => Object.fromEntries(link.attributes)),
      statusMessage,
    ]),
  );
  return { sent, twins };
}

function change(on: Span, { start, later, event, link, thrown, status }: SpanPlan): void {
  // A copy in another set-up is made step by step: what is overwritten has marked it before.
  const added = Object.entries(later).filter(([name]) => !(name in start));
  on.setAttributes(Object.fromEntries(added.slice(1)));
  for (const [name, value] of added.slice(0, 1)) on.setAttribute(name, value!);
  if (event !== null) on.addEvent(event.name, event.attributes);
  const context = on.spanContext();
  if (link !== null) on.addLink({ context, attributes: link } satisfies Link);
  if (thrown !== null) {
    on.recordException({ name: "Refused", message: thrown, stack: "Refused\n    at f (a.js:1:2)" });
  }
  if (status !== null) on.setStatus({ code: SpanStatusCode.ERROR, message: status });
}

function seen(name: string, given: Readonly<Record<string, unknown>>, parts: unknown): SeenSpan {
  const { [AG.redacted]: mark, ...others } = given;
  return { isMarked: mark === true, rest: { name, others, parts } };
}

describe("the mark of redaction", () => {
  it("is on exactly those spans that are not what they would be without the settings", async () => {
    let [marked, unmarked] = [0, 0];
    await fc.assert(
      fc.asyncProperty(
        fc.array(span, { minLength: 12, maxLength: 12 }),
        settings,
        async (plans, options) => {
          // What a function ignores, it ignores with every setting: without those, nothing is left out.
          const plain = await seenWith(
            plans.map((plan) => ({ ...plan, ignoreInputs: undefined })),
            {},
          );
          const redacted = await seenWith(plans, options);
          for (const place of ["sent", "twins"] as const) {
            expect(redacted[place]).toHaveLength(plain[place].length);
            for (const [index, { isMarked, rest }] of redacted[place].entries()) {
              const before = plain[place][index]!;
              expect(before.isMarked).toBe(false);
              expect({ place, isMarked, rest, before: before.rest }).toEqual({
                place,
                isMarked: !sameAs(rest, before.rest),
                rest,
                before: before.rest,
              });
              if (isMarked) marked++;
              else unmarked++;
            }
          }
        },
      ),
      { numRuns: 20 },
    );
    // Both sides are there.
    expect(Math.min(marked, unmarked)).toBeGreaterThan(50);
  });

  it("is not on a span whose function of redaction returns an equal copy of plain data", async () => {
    const recorded = await recordedSpans(
      (telemetry) => {
        const started = telemetry.startSpan("call", { kind: "TASK" });
        recordByRules({}, telemetry, started, "inputs", { a: 1 }, '{"a":1}');
        started.end();
      },
      { redact: (value) => ({ ...(value as object) }) },
    );
    expect(recorded.attributes("call")).toEqual({ [AG.spanKind]: "TASK", [AG.inputs]: '{"a":1}' });
  });
});

function sameAs(one: unknown, other: unknown): boolean {
  const text = (value: unknown) =>
    JSON.stringify(value, (_key, each) => (Number.isNaN(each) ? "NaN" : each));
  return text(one) === text(other);
}
