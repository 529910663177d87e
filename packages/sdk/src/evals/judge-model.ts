import { isRecord } from "@agate/protocol";

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

/** Asks a model, of whichever kind. */
export async function askModel(
  model: JudgeModel,
  prompt: string,
  signal: AbortSignal,
): Promise<string> {
  if (typeof model === "function") return model(prompt, { signal });
  return "doGenerate" in model
    ? askAiSdk(model, prompt, signal)
    : askEndpoint(model, prompt, signal);
}

async function askAiSdk(model: AiSdkModel, prompt: string, abortSignal: AbortSignal) {
  const message = { role: "user", content: [{ type: "text", text: prompt }] };
  const { content } = await model.doGenerate({ prompt: [message], abortSignal });
  return content
    .map((part) => ("text" in part && "type" in part && part.type === "text" ? part.text : ""))
    .join("");
}

async function askEndpoint(
  { baseUrl, model, apiKey }: JudgeEndpoint,
  prompt: string,
  signal: AbortSignal,
): Promise<string> {
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
    throw Object.assign(error, { status: response.status });
  }
  const answer = contentOf(text);
  if (answer === undefined) {
    throw new Error(`The judge's endpoint answered without a message: ${text.slice(0, 200)}`);
  }
  return answer;
}

function contentOf(text: string): string | undefined {
  const body: unknown = JSON.parse(text);
  const [choice]: unknown[] = isRecord(body) && Array.isArray(body.choices) ? body.choices : [];
  const message = isRecord(choice) ? choice.message : undefined;
  return isRecord(message) && typeof message.content === "string" ? message.content : undefined;
}
