import { isRecord } from "@agate/protocol";
import { currentTelemetry } from "../tracing/default-telemetry.ts";
import { recordFailure } from "../tracing/traced-call.ts";

/** A language model of the AI SDK, by what is used of it. */
export interface AiSdkModel {
  readonly modelId: string;
  // biome-ignore lint/suspicious/noExplicitAny: the options of several versions of the AI SDK.
  doGenerate(options: any): PromiseLike<{ readonly content: readonly object[] }>;
}

/** An endpoint that speaks OpenAI's chat completions. */
export interface JudgeEndpoint {
  /** Up to and including its version: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
}

/** Answers a prompt with a text. */
export type JudgeFunction = (
  prompt: string,
  call: { readonly signal: AbortSignal },
) => string | Promise<string>;

export type JudgeModel = AiSdkModel | JudgeEndpoint | JudgeFunction;

/** What a judge's version knows its model by. */
export function modelName(model: JudgeModel): unknown {
  if (typeof model === "function") return model;
  return "doGenerate" in model ? model.modelId : model.model;
}

/** Asks a model, of whichever kind. All but a function are recorded as a model call, with its tokens. */
export async function askModel(
  model: JudgeModel,
  prompt: string,
  signal: AbortSignal,
): Promise<string> {
  if (typeof model === "function") return model(prompt, { signal });
  return "doGenerate" in model
    ? recorded(model.modelId, () => askAiSdk(model, prompt, signal))
    : recorded(model.model, () => askEndpoint(model, prompt, signal));
}

interface ModelAnswer {
  readonly text: string;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

/** The run's costs include judges: what they spend is read from this span. */
async function recorded(model: string, ask: () => Promise<ModelAnswer>): Promise<string> {
  const telemetry = currentTelemetry();
  const span = telemetry.startSpan(`chat ${model}`, {
    kind: "LLM",
    attributes: { "gen_ai.operation.name": "chat", "gen_ai.request.model": model },
  });
  try {
    const { text, inputTokens, outputTokens } = await telemetry.withSpan(span, ask);
    if (inputTokens !== undefined) span.setAttribute("gen_ai.usage.input_tokens", inputTokens);
    if (outputTokens !== undefined) span.setAttribute("gen_ai.usage.output_tokens", outputTokens);
    return text;
  } catch (thrown) {
    recordFailure(telemetry, span, thrown);
    throw thrown;
  } finally {
    span.end();
  }
}

async function askAiSdk(
  model: AiSdkModel,
  prompt: string,
  abortSignal: AbortSignal,
): Promise<ModelAnswer> {
  const message = { role: "user", content: [{ type: "text", text: prompt }] };
  const answer = await model.doGenerate({ prompt: [message], abortSignal });
  const usage = "usage" in answer && isRecord(answer.usage) ? answer.usage : {};
  const text = answer.content
    .map((part) => ("text" in part && "type" in part && part.type === "text" ? part.text : ""))
    .join("");
  return {
    text,
    inputTokens: tokens(usage.inputTokens),
    outputTokens: tokens(usage.outputTokens),
  };
}

/** A number, or from version 6 on an object with its parts. */
function tokens(value: unknown): number | undefined {
  const count = isRecord(value) ? value.total : value;
  return typeof count === "number" && count >= 0 ? count : undefined;
}

async function askEndpoint(
  { baseUrl, model, apiKey }: JudgeEndpoint,
  prompt: string,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  const response = await fetch(`${baseUrl.replace(/\/+$/, "")}/chat/completions`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify({ model, messages: [{ role: "user", content: prompt }] }),
    signal,
  });
  const text = await response.text();
  if (!response.ok) {
    const error = new Error(
      `The judge's endpoint answered ${response.status}: ${text.slice(0, 200)}`,
    );
    throw Object.assign(error, { status: response.status, headers: response.headers });
  }
  const body: unknown = JSON.parse(text);
  const answer = contentOf(body);
  if (answer === undefined) {
    throw new Error(`The judge's endpoint answered without a message: ${text.slice(0, 200)}`);
  }
  const usage = isRecord(body) && isRecord(body.usage) ? body.usage : {};
  return {
    text: answer,
    inputTokens: tokens(usage.prompt_tokens),
    outputTokens: tokens(usage.completion_tokens),
  };
}

function contentOf(body: unknown): string | undefined {
  const [choice]: unknown[] = isRecord(body) && Array.isArray(body.choices) ? body.choices : [];
  const message = isRecord(choice) ? choice.message : undefined;
  return isRecord(message) && typeof message.content === "string" ? message.content : undefined;
}
