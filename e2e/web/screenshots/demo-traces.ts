// A day of a shop's support desk, made up: enough of it that the pictures in the README look lived in.
import type { OtlpSpan } from "../../send-otlp.ts";

const HOUR = 3_600_000;

/** The same numbers at every run. */
function createDice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** An id that looks like one: so many times eight digits. */
function hexOf(n: number, words: number): string {
  const dice = createDice(Math.imul(n + 1, 0x9e3779b1));
  return Array.from({ length: words }, () =>
    Math.floor(dice() * 2 ** 32)
      .toString(16)
      .padStart(8, "0"),
  ).join("");
}

const QUESTIONS = [
  ["Where is my order 8812?", "It left our warehouse this morning and arrives on Thursday."],
  ["Can I return a worn jacket?", "Yes, within 30 days, as long as the label is still on it."],
  ["Do you ship to Norway?", "We do. It takes four to six days and costs 9 euros."],
  ["My voucher does not work.", "It expired last week. I have made you a new one: HELLO-AGAIN."],
  ["How do I wash merino wool?", "At 30 degrees, with wool detergent, and dry it lying flat."],
  ["The invoice has the wrong name.", "I have sent a corrected one to your address."],
] as const;

const VARIANTS = [
  { name: "concise", revision: 4, environment: "production" },
  { name: "concise", revision: 4, environment: "production" },
  { name: "thorough", revision: 2, environment: "production" },
  { name: "thorough", revision: 3, environment: "staging" },
] as const;

const USERS = ["ada", "grace", "linus", "margaret", "dennis", "barbara"] as const;
const MODELS = ["gpt-5-mini", "gpt-5-mini", "gpt-5"] as const;

/** Calls over the day before `now`, more of them at noon than at night. */
export function demoSpans(now: number, count = 1400): readonly OtlpSpan[] {
  const dice = createDice(7);
  const spans: OtlpSpan[] = [];
  for (let n = 0; n < count; n++) {
    const start = now - 24 * HOUR * dice() ** 1.25 - 20_000;
    const isBusy = Math.sin((new Date(start).getUTCHours() / 24) * Math.PI) > dice() * 0.9;
    if (isBusy || n < 30) spans.push(...demoCall(n, start, dice));
  }
  return spans;
}

/** One answer: what is retrieved, a model that calls a tool, a model that answers. */
function demoCall(n: number, start: number, dice: () => number): readonly OtlpSpan[] {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(dice() * list.length)] as T;
  const traceId = hexOf(n, 4);
  const spanId = (k: number) => hexOf(n * 16 + k + 10_000, 2);
  const [question, reply] = pick(QUESTIONS);
  const variant = pick(VARIANTS);
  const model = variant.name === "thorough" ? "gpt-5" : pick(MODELS);
  const isRefund = dice() < 0.25;
  const fails = dice() < 0.045;
  const pace = (0.6 + dice() * 0.9 + (dice() < 0.05 ? 2.5 : 0)) * (model === "gpt-5" ? 1.7 : 1);
  let at = start + 6;
  const lasts = (milliseconds: number) => {
    const begin = at;
    at += milliseconds * pace;
    return { start: begin, end: at - 4 };
  };
  const shared = {
    "ag.application": "support",
    "ag.variant.name": variant.name,
    "ag.variant.revision": variant.revision,
    "ag.environment": variant.environment,
  };
  const chat = (k: number, parent: number, time: { start: number; end: number }, body: object) => ({
    traceId,
    spanId: spanId(k),
    parentSpanId: spanId(parent),
    name: `chat ${model}`,
    ...time,
    attributes: {
      ...shared,
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": model,
      "gen_ai.request.temperature": 0.3,
      "gen_ai.usage.input_tokens": 600 + Math.round(dice() * 500),
      "gen_ai.usage.output_tokens": 60 + Math.round(dice() * 160),
      ...Object.fromEntries(
        Object.entries(body).map(([key, value]) => [key, JSON.stringify(value)]),
      ),
    },
  });
  const system = "You answer customers of a clothes shop: kindly, briefly, from the sources alone.";
  const asked = [
    { role: "system", parts: [{ type: "text", content: system }] },
    { role: "user", parts: [{ type: "text", content: question }] },
  ];
  const toolCall = {
    role: "assistant",
    parts: [{ type: "tool_call", id: "call_1", name: "find_order", arguments: { order: 8812 } }],
  };
  const toolResult = {
    role: "tool",
    parts: [
      {
        type: "tool_call_response",
        id: "call_1",
        response: { status: "shipped", day: "Thursday" },
      },
    ],
  };
  const children: OtlpSpan[] = [
    {
      traceId,
      spanId: spanId(1),
      parentSpanId: spanId(0),
      name: "embed question",
      ...lasts(70),
      attributes: {
        ...shared,
        "ag.span.kind": "EMBEDDING",
        "ag.content.inputs": JSON.stringify(question),
      },
    },
    {
      traceId,
      spanId: spanId(2),
      parentSpanId: spanId(0),
      name: "search handbook",
      ...lasts(130),
      attributes: {
        ...shared,
        "ag.span.kind": "RETRIEVER",
        "ag.content.inputs": JSON.stringify({ question, topK: 4 }),
        "ag.content.outputs": JSON.stringify([
          { title: "Shipping and delivery", score: 0.83 },
          { title: "Returns and refunds", score: 0.41 },
        ]),
      },
    },
    chat(3, 0, lasts(620), {
      "gen_ai.input.messages": asked,
      "gen_ai.output.messages": [toolCall],
    }),
    {
      traceId,
      spanId: spanId(4),
      parentSpanId: spanId(0),
      name: "find_order",
      ...lasts(isRefund ? 340 : 160),
      attributes: {
        ...shared,
        "ag.span.kind": "TOOL",
        "ag.content.inputs": JSON.stringify({ order: 8812 }),
        ...(!fails && {
          "ag.content.outputs": JSON.stringify({ status: "shipped", day: "Thursday" }),
        }),
      },
      ...(fails && {
        status: { code: 2, message: "The order service answered 503." } as const,
        events: [
          {
            name: "exception",
            time: at - 10,
            attributes: {
              "exception.type": "OrderServiceError",
              "exception.message": "The order service answered 503.",
              "exception.stacktrace":
                "OrderServiceError: The order service answered 503.\n    at findOrder (orders.ts:41:11)\n    at answer (support.ts:88:19)",
            },
          },
        ],
      }),
    },
    ...(fails
      ? []
      : [
          chat(5, 0, lasts(880), {
            "gen_ai.input.messages": [...asked, toolCall, toolResult],
            "gen_ai.output.messages": [
              { role: "assistant", parts: [{ type: "text", content: reply }] },
            ],
          }),
        ]),
  ];
  const top: OtlpSpan = {
    traceId,
    spanId: spanId(0),
    name: "invoke_workflow answer",
    start,
    end: at + 5,
    attributes: {
      ...shared,
      "ag.span.kind": "WORKFLOW",
      "ag.route": "/answer",
      "ag.call.origin": "deployed",
      "ag.config": JSON.stringify({ model, temperature: 0.3, topK: 4, tone: "friendly" }),
      "ag.content.inputs": JSON.stringify({ question }),
      ...(!fails && { "ag.content.outputs": JSON.stringify(reply) }),
      "user.id": pick(USERS),
      "session.id": `s-${Math.floor(dice() * 90) + 10}`,
    },
    status: fails ? { code: 2, message: "The order service answered 503." } : { code: 1 },
  };
  return [top, ...children];
}
