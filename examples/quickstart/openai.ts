// Any server that speaks OpenAI's interface: OPENAI_BASE_URL says where, OPENAI_API_KEY is its key.
import * as ag from "@agate/sdk";

const OPENAI = "https://api.openai.com/v1";
const baseUrl = (process.env.OPENAI_BASE_URL || OPENAI).replace(/\/$/, "");
const hasKey = Boolean(process.env.OPENAI_API_KEY);

/** False when neither variable is set: then the stand-in answers. */
export const isConfigured = hasKey || baseUrl !== OPENAI;

// Prices are known by provider and model. A server elsewhere is no known provider, even if its models
// have known names.
const provider = baseUrl === OPENAI ? "openai" : new URL(baseUrl).host;

/** The model that judges answers in evaluations. */
export function judgeEndpoint() {
  const model = "gpt-5-mini";
  return hasKey ? { baseUrl, model, apiKey: ag.secret("OPENAI_API_KEY") } : { baseUrl, model };
}

interface EmbeddingsRequest {
  readonly model: string;
  readonly input: readonly string[];
  readonly dimensions?: number | undefined;
}

interface EmbeddingsAnswer {
  readonly data: readonly { readonly embedding: number[] }[];
  readonly usage?: { readonly prompt_tokens: number };
}

/** Vectors are long and unreadable: they are not recorded. */
export const embed = ag.instrument({ name: "embeddings", kind: "EMBEDDING", ignoreOutputs: true })(
  async (request: EmbeddingsRequest): Promise<number[][]> => {
    describeCall("embeddings", request.model);
    const response = await post("/embeddings", request);
    const { data, usage } = (await response.json()) as EmbeddingsAnswer;
    ag.tracing.storeMetrics({ inputTokens: usage?.prompt_tokens });
    return data.map(({ embedding }) => embedding);
  },
);

interface ChatRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: "system" | "user"; readonly content: string }[];
  readonly max_completion_tokens?: number | undefined;
  readonly signal: AbortSignal;
}

interface ChatChunk {
  readonly choices: readonly { readonly delta: { readonly content?: string | null } }[];
  readonly usage?: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly prompt_tokens_details?: { readonly cached_tokens?: number } | null;
  } | null;
}

/** Gives the answer piece by piece, as it is written. */
export const chat = ag.instrument({ name: "chat", kind: "LLM", ignoreInputs: ["signal"] })(
  async function* ({ signal, ...request }: ChatRequest) {
    describeCall("chat", request.model);
    const body = { ...request, stream: true, stream_options: { include_usage: true } };
    const response = await post("/chat/completions", body, signal);
    for await (const data of eventsOf(response)) {
      const { choices, usage } = JSON.parse(data) as ChatChunk;
      const content = choices[0]?.delta.content;
      if (content) yield content;
      // The last chunk says what it took.
      if (usage) {
        ag.tracing.storeMetrics({
          inputTokens: usage.prompt_tokens,
          outputTokens: usage.completion_tokens,
          cachedInputTokens: usage.prompt_tokens_details?.cached_tokens,
        });
      }
    }
  },
);

/** What a trace needs to show the model and to know its price. */
function describeCall(operation: "chat" | "embeddings", model: string): void {
  ag.tracing.storeMeta({
    "gen_ai.operation.name": operation,
    "gen_ai.provider.name": provider,
    "gen_ai.request.model": model,
  });
}

async function post(path: string, body: object, signal?: AbortSignal): Promise<Response> {
  const headers = new Headers({ "content-type": "application/json" });
  // Read through `ag.secret`, the key is kept out of every span, log line and error.
  if (hasKey) headers.set("authorization", `Bearer ${ag.secret("OPENAI_API_KEY")}`);
  const response = await fetch(baseUrl + path, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
    signal: signal ?? null,
  });
  if (response.ok) return response;
  const text = await response.text();
  throw new ag.HttpError(502, `${baseUrl}${path} answered ${response.status}: ${text}`);
}

/** The `data:` lines of a stream of server-sent events. */
async function* eventsOf(response: Response): AsyncGenerator<string> {
  let unread = "";
  for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
    const lines = (unread + text).split("\n");
    unread = lines.pop() ?? "";
    for (const line of lines) {
      const data = line.startsWith("data:") ? line.slice("data:".length).trim() : "";
      if (data !== "" && data !== "[DONE]") yield data;
    }
  }
}
