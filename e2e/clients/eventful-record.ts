import { ALL_TYPES } from "./eventful-trace.ts";

const RESOURCE = {
  "service.name": "geology-bot",
  "deployment.environment.name": "staging",
  "process.pid": 4711,
};

/** The record that the spans of `recordEventfulTrace` make, with names in place of ids. */
export const EVENTFUL_RECORD = span({
  name: "answer",
  parent: null,
  times: ["20.123456", "20.123456789", "30.000000000", 9876.543211],
  kind: "SERVER",
  spankind: "WORKFLOW",
  variant: { variant_id: null, variant_name: "concise", revision: 3 },
  user_id: "u-1",
  content: { inputs: { question: "Which stone?" }, internals: null, outputs: ["Agate."] },
  metadata: {
    session_id: "s-1",
    events: [
      {
        name: "first token",
        time: "2026-09-21T14:13:21.000000001Z",
        attributes: { index: 0, "waited.s": 0.25 },
      },
    ],
    attributes: { ...ALL_TYPES, bytes: "AAH+/w==" },
    total: chatFigures(),
  },
  children: [
    span({
      name: "chat gpt-4o-mini",
      parent: "answer",
      times: ["22.123456", "22.123456789", "23.000000000", 876.543211],
      kind: "CLIENT",
      spankind: "LLM",
      status: "OK",
      content: {
        inputs: {
          messages: [{ role: "user", parts: [{ type: "text", content: "Which?" }] }],
        },
        internals: null,
        outputs: { messages: [{ role: "assistant", parts: [] }] },
      },
      config: { model: "gpt-4o-mini", temperature: 0.2 },
      metadata: {
        model: "gpt-4o-mini",
        provider: "openai",
        ...chatFigures(),
        attributes: { "gen_ai.operation.name": "chat" },
        total: chatFigures(),
      },
    }),
    span({
      name: "look-up",
      parent: "answer",
      times: ["24.123456", "24.123456789", "28.000000000", 3876.543211],
      kind: "INTERNAL",
      spankind: "TOOL",
      status: "ERROR",
      metadata: {
        status_message: "no such stone",
        events: [
          {
            name: "exception",
            time: "2026-09-21T14:13:27.000000005Z",
            attributes: {
              "exception.type": "NotFoundError",
              "exception.message": "no such stone",
              "exception.stacktrace": "at look-up",
            },
          },
        ],
        links: [
          {
            trace_id: "f".repeat(32),
            span_id: "e".repeat(16),
            attributes: { why: "asked before" },
            flags: 0x101,
          },
        ],
      },
      children: [
        span({
          name: "GET /stones",
          parent: "look-up",
          times: ["25.123456", "25.123456789", "26.999999999", 1876.54321],
          kind: "CLIENT",
        }),
      ],
    }),
    span({
      name: "publish",
      parent: "answer",
      times: ["29.123456", "29.123456789", "29.123456789", 0],
      kind: "PRODUCER",
    }),
  ],
});

/** At $0.15 per million tokens of input, $0.075 of cached input, $0.60 of output. */
function chatFigures() {
  return {
    usage: {
      input_tokens: 1000,
      output_tokens: 100,
      total_tokens: 1100,
      cached_input_tokens: 200,
      reasoning_tokens: null,
    },
    cost: 0.000195,
  };
}

interface ExpectedSpan {
  readonly name: string;
  readonly parent: string | null;
  /** Seconds of `created_at`, of start and end; the latency. */
  readonly times: readonly [string, string, string, number];
  readonly kind: string;
  readonly metadata?: object;
  readonly [field: string]: unknown;
}

/** A whole record: fields that are not given are empty. */
function span({ name, parent, times, kind, metadata, ...fields }: ExpectedSpan) {
  const [created, start, end, latency] = times;
  return {
    id: `id of ${name}`,
    name,
    project_id: "default",
    parent_span_id: parent === null ? null : `id of ${parent}`,
    created_at: `2026-09-21T14:13:${created}Z`,
    variant: { variant_id: null, variant_name: null, revision: null },
    environment: "staging",
    spankind: "UNKNOWN",
    status: "UNSET",
    trace_id: "id of the trace",
    user_id: null,
    content: { inputs: null, internals: null, outputs: null },
    config: null,
    children: null,
    ...fields,
    metadata: {
      start_time: `2026-09-21T14:13:${start}Z`,
      end_time: `2026-09-21T14:13:${end}Z`,
      latency,
      model: null,
      provider: null,
      usage: null,
      cost: null,
      session_id: null,
      application: "geology-bot",
      status_message: null,
      events: [],
      links: [],
      attributes: {},
      resource: RESOURCE,
      scope: {
        name: "geology",
        version: "1.2.3",
        attributes: {},
        schema_url: "https://example.com/s",
      },
      // Sampled, and the parent known not to be remote.
      otel: { kind, flags: 0x101 },
      total: { usage: null, cost: null },
      ...metadata,
    },
  };
}
