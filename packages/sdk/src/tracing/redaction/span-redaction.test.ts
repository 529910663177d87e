import { AGATE_ATTRIBUTES as AG } from "@agate/protocol";
import { type Attributes, type Span, SpanStatusCode } from "@opentelemetry/api";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { recordContent } from "../content-rules.ts";
import { resetOpenTelemetry, setUpOpenTelemetry } from "../otel-globals.fixture.ts";
import { type RecordedSpans, recordedSpans } from "../recorded-spans.fixture.ts";
import { addSecret, Secrets } from "../secrets.ts";
import { span as openSpan } from "../span.ts";
import type { Telemetry } from "../telemetry.ts";
import type { TelemetryOptions } from "../telemetry-options.ts";
import { tracing } from "../tracing.ts";
import { HIDDEN_KEYS, MARKER, plantedValue } from "./hidden-values.fixture.ts";

beforeEach(resetOpenTelemetry);
afterEach(resetOpenTelemetry);

const PROMPT = "Which stone did Ada buy?";

/** What a library does with one span, on Agate's own tracer. */
async function librarySpan(
  options: TelemetryOptions,
  work: (span: Span, telemetry: Telemetry) => void,
  attributes: Attributes = {},
): Promise<RecordedSpans> {
  return await recordedSpans((telemetry) => {
    const tracer = telemetry.tracerProvider.getTracer("library");
    const span = tracer.startSpan("call", { attributes });
    work(span, telemetry);
    span.end();
  }, options);
}

describe("a span of another library, with keys to be redacted", () => {
  const redact = [...HIDDEN_KEYS, "user.phone"];

  it("has none of their values in attributes, events, links, errors, status and name", async () => {
    const json = JSON.stringify({ email: MARKER, tool: "find", n: 1 });
    const recorded = await librarySpan(
      { redact },
      (span) => {
        span.setAttribute("gen_ai.tool.call.arguments", json);
        span.setAttributes({
          email: MARKER,
          "app.user.email": MARKER,
          "app.email.domain": MARKER,
          "user.phone": MARKER,
          "ai.telemetry.metadata.cardNumber": 41111111,
          "llm.input_messages.0.message.tool_calls.0.tool_call.function.arguments": json,
          "ai.prompt.tools": [json, "plain"],
          "ai.prompt": JSON.stringify({ messages: [{ role: "user", content: json }] }),
          "app.emails": "kept",
        });
        span.addEvent(`found email=${MARKER}`, { "gen_ai.completion": json, email: MARKER });
        span.addLink({ context: span.spanContext(), attributes: { email: MARKER, why: json } });
        span.recordException(new Error(`Invalid arguments ${json}: { cardNumber: '${MARKER}' }`));
        span.setStatus({ code: SpanStatusCode.ERROR, message: `cardNumber: ${MARKER}, refused` });
      },
      { email: MARKER, "url.full": `https://stones.example/?email=${MARKER}&a=1` },
    );
    expect(recorded.sent).not.toContain(MARKER);
    expect(recorded.sent).not.toContain("41111111");
    const { attributes, events, links, statusMessage } = recorded.named("call");
    expect(Object.fromEntries(attributes)).toEqual({
      [AG.redacted]: true,
      email: "[redacted]",
      "url.full": "https://stones.example/?email=[redacted]&a=1",
      "gen_ai.tool.call.arguments": '{"email":"[redacted]","tool":"find","n":1}',
      "app.user.email": "[redacted]",
      "app.email.domain": "[redacted]",
      "user.phone": "[redacted]",
      "ai.telemetry.metadata.cardNumber": "[redacted]",
      "llm.input_messages.0.message.tool_calls.0.tool_call.function.arguments":
        '{"email":"[redacted]","tool":"find","n":1}',
      "ai.prompt.tools": ['{"email":"[redacted]","tool":"find","n":1}', "plain"],
      "ai.prompt": JSON.stringify({
        messages: [{ role: "user", content: '{"email":"[redacted]","tool":"find","n":1}' }],
      }),
      "app.emails": "kept",
    });
    expect(events.map(({ name }) => name)).toEqual(["found email=[redacted]", "exception"]);
    expect(events[1]!.attributes.get("exception.message")).toBe(
      `Invalid arguments {"email":"[redacted]","tool":"find","n":1}: { cardNumber: '[redacted]' }`,
    );
    expect(links[0]!.attributes.get("why")).toContain('"tool":"find"');
    expect(statusMessage).toBe("cardNumber: [redacted], refused");
  });

  it("keeps names of models and tools, figures and Agate's own attributes", async () => {
    const kept = {
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "gpt-5-mini",
      "gen_ai.usage.input_tokens": 12,
      "llm.token_count.prompt": 12,
      "ai.toolCall.name": "find",
      [AG.application]: "shop",
      [AG.route]: "/run",
      "session.id": "s-1",
    };
    const hidden = {
      "customer.name": MARKER,
      "ai.telemetry.metadata.name": MARKER,
      "gen_ai.prompt.0.content": MARKER,
      "llm.input_messages.0.message.name": MARKER,
    };
    const recorded = await librarySpan(
      { redact: ["name", "model", "id", "prompt", "content", "session", "usage"] },
      () => undefined,
      { ...kept, ...hidden },
    );
    expect(recorded.attributes("call")).toMatchObject(kept);
    expect(recorded.sent).not.toContain(MARKER);
    // What is named in full is meant.
    const named = await librarySpan({ redact: ["session.id"] }, () => undefined, kept);
    expect(named.attributes("call")).toEqual({
      ...kept,
      "session.id": "[redacted]",
      [AG.redacted]: true,
    });
  });

  it("has no planted value anywhere, whatever they are in; what is beside them survives", async () => {
    class Account {
      readonly held: unknown;
      readonly email = MARKER;
      constructor(held: unknown) {
        this.held = held;
      }
    }
    const planted = fc.sample(plantedValue, { numRuns: 30, seed: 13 });
    const recorded = await recordedSpans(
      (telemetry) => {
        for (const { value } of planted) {
          const json = JSON.stringify(value);
          const held = new Map<unknown, unknown>([
            [1, value],
            ["email", { any: MARKER }],
            [{ cardNumber: MARKER }, new Set([value])],
            [Symbol("cardNumber"), MARKER],
          ]);
          openSpan("own", { inputs: { held, list: [new Account(value)] } }, (span) => {
            tracing.storeInternals({ raw: json, error: new Error(json, { cause: value }) });
            tracing.storeMeta({ email: MARKER, "deep.value": value });
            span.addEvent("event", { json, email: [MARKER] });
            return value;
          });
          const tracer = telemetry.tracerProvider.getTracer("library");
          const span = tracer.startSpan("foreign", {
            attributes: { "input.value": json, [`a.cardNumber.${"b.".repeat(3)}c`]: MARKER },
            links: [
              {
                context: telemetry.startSpan("x", { kind: "TASK" }).spanContext(),
                attributes: { json },
              },
            ],
          });
          span.setAttribute("any.list", [json, JSON.stringify({ json })]);
          span.recordException({
            name: "Refused",
            message: json,
            stack: `Refused: ${json}\n    at f (a.js:1:2)`,
          });
          span.setStatus({ code: SpanStatusCode.ERROR, message: `refused ${json}` });
          span.end();
        }
      },
      { redact: HIDDEN_KEYS },
    );
    expect(recorded.spans).toHaveLength(60);
    expect(recorded.sent).not.toContain(MARKER);
    const siblings = planted.flatMap((each) => each.siblings);
    expect(siblings.length).toBeGreaterThan(100);
    expect(siblings.filter((sibling) => !recorded.sent.includes(sibling))).toEqual([]);
  });

  it("knows more names of attributes than it remembers", async () => {
    const attributes: Attributes = {};
    for (let index = 0; index < 2_100; index++) {
      attributes[index % 2 ? `user.${index}.email` : `user.${index}.name`] = `${MARKER}-${index}`;
    }
    const recorded = await recordedSpans(
      (telemetry) => {
        const tracer = telemetry.tracerProvider.getTracer("library");
        for (const name of ["call", "again"]) tracer.startSpan(name, { attributes }).end();
      },
      { redact },
    );
    for (const name of ["call", "again"]) {
      const { [AG.redacted]: mark, ...others } = recorded.attributes(name);
      expect(mark).toBe(true);
      const shown = Object.entries(others);
      expect(shown).toHaveLength(2_100);
      for (const [key, value] of shown) {
        expect(value).toBe(key.endsWith("email") ? "[redacted]" : attributes[key]);
      }
    }
  });

  it("is given to a function, where the settings are one", async () => {
    const seen: unknown[] = [];
    const recorded = await librarySpan(
      {
        redact: (value, about) => {
          seen.push([value, about]);
          if (about.field === "outputs") throw new Error("no");
          return Array.isArray(value) ? value.length : undefined;
        },
      },
      (span, telemetry) => {
        span.setAttribute("gen_ai.output.messages", JSON.stringify([PROMPT]));
        recordContent(telemetry, span, "inputs", [PROMPT]);
      },
      {
        "gen_ai.input.messages": JSON.stringify([PROMPT]),
        "ai.prompt": PROMPT,
        "gen_ai.request.model": "gpt-5-mini",
      },
    );
    expect(recorded.attributes("call")).toEqual({
      "gen_ai.input.messages": "1",
      "gen_ai.output.messages": "[redaction failed]",
      "gen_ai.request.model": "gpt-5-mini",
      [AG.inputs]: "1",
      [AG.redacted]: true,
    });
    expect(seen).toContainEqual([PROMPT, { field: "inputs", span: "call" }]);
    // What Agate records itself goes through it once.
    expect(seen).toHaveLength(4);
  });
});

describe("a span of another library, where content is not captured", () => {
  const options = { captureContent: false };
  const content: Attributes = {
    "gen_ai.input.messages": PROMPT,
    "gen_ai.prompt.0.content": PROMPT,
    "ai.prompt": PROMPT,
    "ai.response.text": PROMPT,
    "input.value": PROMPT,
    "llm.output_messages.0.message.content": PROMPT,
    "llm.invocation_parameters": JSON.stringify({ instructions: PROMPT }),
    "traceloop.entity.input": PROMPT,
    "langfuse.trace.output": PROMPT,
    "mlflow.spanInputs": PROMPT,
    [AG.inputs]: PROMPT,
    [AG.config]: PROMPT,
  };
  const kept: Attributes = {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "gpt-5-mini",
    "gen_ai.request.temperature": 0.5,
    "gen_ai.usage.input_tokens": 12,
    "input.mime_type": "application/json",
    [AG.route]: "/run",
  };

  it("has neither content nor what errors say of it", async () => {
    const failure = new TypeError(`Refused: ${PROMPT}\n    at lines (that/look/like:1:2)`);
    const recorded = await librarySpan(
      options,
      (span) => {
        span.setAttributes(content);
        span.addEvent("gen_ai.user.message", { role: "user", content: PROMPT });
        span.addEvent("gen_ai.choice", { message: PROMPT });
        span.addEvent("gen_ai.client.inference.operation.details", { ...content, ...kept });
        span.addEvent("first chunk", { ms: 5 });
        span.recordException(failure);
        span.addLink({ context: span.spanContext(), attributes: { ...content, ...kept } });
        span.setStatus({ code: SpanStatusCode.ERROR, message: failure.message });
      },
      { ...content, ...kept },
    );
    expect(recorded.sent).not.toContain(PROMPT);
    expect(recorded.sent).not.toContain("look/like");
    const { attributes, events, links, statusCode, statusMessage } = recorded.named("call");
    expect(Object.fromEntries(attributes)).toEqual({ ...kept, [AG.redacted]: true });
    expect(Object.fromEntries(links[0]!.attributes)).toEqual(kept);
    const [details, chunk, exception, ...others] = events;
    expect(others).toEqual([]);
    expect(details?.name).toBe("gen_ai.client.inference.operation.details");
    expect(Object.fromEntries(details!.attributes)).toEqual(kept);
    expect(chunk?.name).toBe("first chunk");
    expect(exception?.attributes.get("exception.type")).toBe("TypeError");
    expect(exception?.attributes.has("exception.message")).toBe(false);
    expect(exception?.attributes.get("exception.stacktrace")).toMatch(
      /^TypeError\n\s+at .*span-redaction\.test\.ts/,
    );
    expect({ statusCode, statusMessage }).toEqual({ statusCode: 2, statusMessage: "TypeError" });
  });

  it("is the same in the tree of a playground's answer", async () => {
    let tree = "";
    await recordedSpans(async (telemetry) => {
      const tracer = telemetry.tracerProvider.getTracer("library");
      const span = tracer.startSpan("call", { attributes: { ...content, ...kept } });
      const collection = telemetry.collect(span.spanContext().traceId);
      span.end();
      tree = await collection.take();
    }, options);
    expect(tree).not.toContain(PROMPT);
    expect(JSON.parse(tree)).toMatchObject({ spankind: "LLM" });
  });

  it("is the same where an existing set-up made it, and in the set-up's own copy of Agate's", async () => {
    const secrets = new Secrets();
    addSecret(secrets, "KEY", "hush-hush-1");
    let twins: readonly unknown[] = [];
    const recorded = await recordedSpans(
      (telemetry) => {
        const { provider, exporter } = setUpOpenTelemetry({
          spanProcessors: [telemetry.spanProcessor({ all: true })],
        });
        const foreign = provider.getTracer("foreign").startSpan("foreign");
        foreign.setAttributes({ ...content, ...kept, email: MARKER, key: "hush-hush-1" });
        foreign.end();
        const tracer = telemetry.tracerProvider.getTracer("library");
        const span = tracer.startSpan("call", {
          attributes: { ...content, ...kept, email: MARKER },
          links: [{ context: foreign.spanContext(), attributes: { email: MARKER, ...content } }],
        });
        span.setAttribute("ai.prompt", PROMPT).setAttribute("email", MARKER);
        span.setAttributes({ ...content, key: "hush-hush-1" });
        span.addEvent("gen_ai.user.message", { content: PROMPT });
        span.addEvent("other", { email: MARKER, ...content });
        span.addLink({ context: foreign.spanContext(), attributes: { email: MARKER } });
        span.recordException(new TypeError(PROMPT));
        span.recordException(PROMPT);
        span.setStatus({ code: SpanStatusCode.ERROR, message: PROMPT });
        span.end();
        twins = exporter
          .getFinishedSpans()
          .filter(({ name }) => name === "call")
          .map(({ attributes, events, links, status }) => ({ attributes, events, links, status }));
      },
      { ...options, redact: HIDDEN_KEYS, secrets },
    );
    expect(recorded.sent).not.toContain(PROMPT);
    expect(recorded.sent).not.toContain(MARKER);
    expect(recorded.attributes("foreign")).toMatchObject(kept);
    const text = JSON.stringify(twins);
    expect(twins).toHaveLength(1);
    expect(text).not.toContain(PROMPT);
    expect(text).not.toContain(MARKER);
    expect(text).not.toContain("hush-hush-1");
    expect(text).toContain("TypeError");
    expect(twins[0]).toMatchObject({ attributes: { ...kept, email: "[redacted]" } });
  });
});

describe("a span where nothing is to be hidden", () => {
  it.each([{}, { redact: [] }, { captureContent: true }])(
    "is sent as it is: %j",
    async (options) => {
      const attributes = { email: "ada", "ai.prompt": PROMPT };
      const recorded = await librarySpan(options, () => undefined, attributes);
      expect(recorded.attributes("call")).toEqual(attributes);
    },
  );
});
