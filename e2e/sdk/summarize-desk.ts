import * as ag from "@agate/sdk";
import { SpanKind } from "@opentelemetry/api";

/** One field of every kind that contract 2.4 has. */
export class SummarizeConfig extends ag.BaseModel {
  prompt = ag.Field(ag.str, { default: "Summarize:" });
  temperature = ag.Field(ag.float, { default: 0.7, ge: 0, le: 2 });
  maxTokens = ag.Field(ag.int, { default: -1, ge: -1, le: 4096 });
  bullets = ag.Field(ag.bool, { default: false });
  tone = ag.Field(ag.MultipleChoice({ choices: ["plain", "formal"] }), { default: "plain" });
  model = ag.Field(ag.GroupedMultipleChoice({ choices: { a: ["a-1"], b: ["b-1", "b-2"] } }), {
    default: "a-1",
  });
}

export class ClassifyConfig extends ag.BaseModel {
  labels = ag.Field(ag.str, { default: "question,complaint" });
}

export const DEFAULTS = {
  prompt: "Summarize:",
  temperature: 0.7,
  maxTokens: -1,
  bullets: false,
  tone: "plain",
  model: "a-1",
} as const;

const retrieve = ag.instrument({ name: "retrieve", kind: "RETRIEVER" })(
  async (question: string, limit: number) => [question, "document"].slice(0, limit),
);

const complete = ag.instrument({ name: "complete", kind: "LLM" })(async (prompt: string) => {
  ag.tracing.storeMetrics({ inputTokens: 120, outputTokens: 30, cost: 0.25 });
  return `${prompt} done`;
});

/** As a library does that only knows OpenTelemetry. */
async function searchWithLibrary(question: string): Promise<number> {
  const tracer = ag.tracerProvider().getTracer("search-library", "1.2.3");
  return tracer.startActiveSpan(
    "search",
    { kind: SpanKind.CLIENT, attributes: { "search.question": question } },
    async (span) => {
      const found = await rank(question);
      span.end();
      return found;
    },
  );
}

const rank = ag.instrument({ name: "rank", kind: "RERANKER" })(async (question: string) => {
  ag.tracing.storeMetrics({ inputTokens: 10, cost: 0.05 });
  return question.length;
});

/** Routes on the default app: decorated methods, one static and one of an object. */
export class Desk {
  readonly #fallback = "other";

  @ag.route("/summarize", SummarizeConfig)
  static async summarize({ text, user }: { text: string; user: string }) {
    const config = await ag.ConfigManager.getFromRoute({ schema: SummarizeConfig });
    ag.tracing.storeMeta({ userId: user, sessionId: `session of ${user}`, plan: "team" });
    ag.tracing.storeInternals({ rewritten: text.toUpperCase() });
    const documents = await retrieve(text, 2);
    const found = await searchWithLibrary(text);
    return { summary: await complete(config.prompt), documents, found, tone: config.tone };
  }

  @ag.route("/classify", ClassifyConfig)
  async classify({ ticket }: { ticket: string }) {
    if (ticket === "") throw new Error("There is nothing to classify.");
    const { labels } = await ag.ConfigManager.getFromRoute({ schema: ClassifyConfig });
    return labels.split(",").find((label) => ticket.includes(label)) ?? this.#fallback;
  }
}
