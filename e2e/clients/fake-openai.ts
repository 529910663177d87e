import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** The vectors that every text is embedded as. Exact in 32 bits, the form they travel in. */
export const VECTORS = [
  [0.5, -0.25, 1],
  [0, 0.125, -2],
] as const;

/** What every chat costs: more than half of the input was cached. */
export const CHAT_USAGE = {
  prompt_tokens: 100,
  completion_tokens: 20,
  total_tokens: 120,
  prompt_tokens_details: { cached_tokens: 60, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 8, audio_tokens: 0 },
};

const RESPONSES_USAGE = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 60 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 8 },
  total_tokens: 120,
};

/** What OpenAI answers for, on the loopback address. Deterministic. */
export interface FakeOpenAi extends AsyncDisposable {
  /** To be given to the client as `baseURL`. */
  readonly baseUrl: string;
}

interface ApiRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly messages?: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly unknown[];
  readonly input?: string | readonly string[];
}

/**
 * Starts it. A question is answered with `Agate: ` and the question; one with tools on offer, with
 * a call of `find_stone`, whose arguments are the JSON that the question has in it; the model
 * `overloaded` with an error 429, and `quoting` with a 400 that quotes the question.
 */
export async function startFakeOpenAi(): Promise<FakeOpenAi> {
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = JSON.parse(await text(request)) as ApiRequest;
  if (body.model === "overloaded") {
    const error = { message: "The engine is overloaded.", type: "rate_limit", code: "overloaded" };
    return sendJson(response, 429, { error });
  }
  if (body.model === "quoting") {
    const message = `Refused: ${body.messages?.at(-1)?.content}`;
    return sendJson(response, 400, { error: { message, type: "invalid_request_error" } });
  }
  switch (request.url) {
    case "/v1/chat/completions":
      return body.stream
        ? sendEvents(response, chatChunks(body), "[DONE]")
        : sendJson(response, 200, chatCompletion(body));
    case "/v1/embeddings":
      return sendJson(response, 200, embeddings(body));
    case "/v1/responses":
      return body.stream
        ? sendEvents(response, responseEvents(body))
        : sendJson(response, 200, modelResponse(body));
    default:
      return sendJson(response, 404, { error: { message: `Nothing at ${request.url}` } });
  }
}

/** OpenAI names the dated version of the model that answered. */
function datedModel(model: string): string {
  return model === "gpt-4o-mini" ? "gpt-4o-mini-2024-07-18" : model;
}

function chatMessage({ messages = [], tools }: ApiRequest) {
  const last = messages.at(-1);
  if (tools !== undefined && last?.role === "user") {
    const given = /\{.*\}/.exec(`${last.content}`)?.[0];
    const call = { name: "find_stone", arguments: given ?? '{"colour":"blue","bands":3}' };
    const calls = [{ index: 0, id: "call_1", type: "function", function: call }];
    return { role: "assistant", content: null, tool_calls: calls };
  }
  return { role: "assistant", content: `Agate: ${last?.content}` };
}

function chatCompletion(body: ApiRequest) {
  const message = chatMessage(body);
  const reason = "tool_calls" in message ? "tool_calls" : "stop";
  return {
    ...chatBase(body, "chat.completion"),
    choices: [{ index: 0, message, logprobs: null, finish_reason: reason }],
    usage: CHAT_USAGE,
  };
}

function chatChunks(body: ApiRequest) {
  const base = chatBase(body, "chat.completion.chunk");
  const chunk = (delta: object, reason: string | null = null) => ({
    ...base,
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const message = chatMessage(body);
  const chunks: object[] = [chunk({ role: "assistant", content: "" })];
  if ("tool_calls" in message) {
    const [call] = message.tool_calls ?? [];
    const { name = "", arguments: all = "" } = call?.function ?? {};
    chunks.push(chunk({ tool_calls: [{ ...call, function: { name, arguments: "" } }] }));
    for (const part of [all.slice(0, 9), all.slice(9)]) {
      chunks.push(chunk({ tool_calls: [{ index: 0, function: { arguments: part } }] }));
    }
    chunks.push(chunk({}, "tool_calls"));
  } else {
    for (const word of `${message.content}`.split(/(?<= )/)) chunks.push(chunk({ content: word }));
    chunks.push(chunk({}, "stop"));
  }
  if (body.stream_options?.include_usage) {
    chunks.push({ ...base, choices: [], usage: CHAT_USAGE });
  }
  return chunks;
}

function chatBase({ model }: ApiRequest, object: string) {
  return { id: "chatcmpl-1", object, created: 1_790_000_000, model: datedModel(model) };
}

// The client always asks for base64, and decodes it for its caller.
function embeddings({ model, input }: ApiRequest) {
  const count = Array.isArray(input) ? input.length : 1;
  const data = VECTORS.slice(0, count).map((vector, index) => ({
    object: "embedding",
    index,
    embedding: Buffer.from(new Float32Array(vector).buffer).toString("base64"),
  }));
  return { object: "list", model, data, usage: { prompt_tokens: 8, total_tokens: 8 } };
}

function modelResponse({ model, input }: ApiRequest) {
  const content = [{ type: "output_text", text: `Agate: ${input}`, annotations: [] }];
  return {
    id: "resp_1",
    object: "response",
    created_at: 1_790_000_000,
    status: "completed",
    model: datedModel(model),
    output: [{ id: "msg_1", type: "message", role: "assistant", status: "completed", content }],
    usage: RESPONSES_USAGE,
  };
}

function responseEvents(body: ApiRequest) {
  const response = modelResponse(body);
  const [message] = response.output;
  const started = { ...response, status: "in_progress", output: [], usage: null };
  return [
    { type: "response.created", sequence_number: 0, response: started },
    {
      type: "response.output_text.delta",
      sequence_number: 1,
      item_id: message?.id,
      output_index: 0,
      content_index: 0,
      delta: message?.content[0]?.text,
      logprobs: [],
    },
    { type: "response.completed", sequence_number: 2, response },
  ];
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function sendEvents(response: ServerResponse, events: readonly object[], end?: string): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) {
    if ("type" in event) response.write(`event: ${event.type}\n`);
    response.write(`data: ${JSON.stringify(event)}\n\n`);
  }
  response.end(end === undefined ? undefined : `data: ${end}\n\n`);
}
