import type { SpanRecord } from "@agate/protocol";
import { trace } from "@opentelemetry/api";
import { readEvents } from "../runtime/read-events.ts";
import { ClientError } from "./client-error.ts";
import type { CallAnswer, CallOptions, ClientOptions } from "./client-types.ts";

interface RouteCallParts {
  readonly base: string;
  /** Empty for the entrypoint. */
  readonly path: string;
  readonly input: unknown;
  readonly options: ClientOptions;
  readonly callOptions: CallOptions<Record<string, unknown>>;
}

/**
 * A call that was sent. The server tells whether its function streams, so one object serves both: it
 * is a promise of the data, and iterates over the chunks as they come.
 */
export class RouteCall implements PromiseLike<unknown>, AsyncIterable<unknown> {
  readonly #response: Promise<Response>;
  #answer: Promise<CallAnswer<unknown>> | undefined;

  constructor(parts: RouteCallParts) {
    this.#response = send(parts);
  }

  get answer(): Promise<CallAnswer<unknown>> {
    this.#answer ??= this.#response.then(collected);
    return this.#answer;
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting the call is what it is for.
  then<Data, Failure>(
    onData?: ((data: unknown) => Data | PromiseLike<Data>) | null,
    onFailure?: ((reason: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Data | Failure> {
    const data: Promise<unknown> = this.answer.then((answer) => answer.data);
    return data.then(onData, onFailure) as Promise<Data | Failure>;
  }

  catch<Failure>(onFailure?: (reason: unknown) => Failure): Promise<unknown> {
    return this.answer.then((answer) => answer.data).catch(onFailure);
  }

  finally(onSettled?: () => void): Promise<unknown> {
    return this.answer.then((answer) => answer.data).finally(onSettled);
  }

  get [Symbol.toStringTag](): string {
    return "RouteCall";
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown, void, void> {
    if (this.#answer !== undefined) {
      // Its body has been read: the chunks are what was collected of them.
      const { data } = await this.#answer;
      yield* Array.isArray(data) ? data : [data];
      return;
    }
    const response = await this.#response;
    const ended = Promise.withResolvers<CallAnswer<unknown>>();
    ended.promise.catch(() => {});
    this.#answer = ended.promise;
    const chunks: unknown[] = [];
    try {
      for await (const event of answerEvents(response)) {
        if (event.kind === "done") {
          ended.resolve({ ...event.ids, data: joined(chunks) });
          return;
        }
        chunks.push(event.chunk);
        yield event.chunk;
      }
    } catch (error) {
      ended.reject(error);
      throw error;
    } finally {
      ended.reject(new DOMException("The stream was left before its end.", "AbortError"));
    }
  }
}

type Ids = Omit<CallAnswer<unknown>, "data">;
type AnswerEvent =
  | { readonly kind: "chunk"; readonly chunk: unknown }
  | { readonly kind: "done"; readonly ids: Ids };

async function send({
  base,
  path,
  input,
  options,
  callOptions,
}: RouteCallParts): Promise<Response> {
  const { config, environment, variant, signal, headers } = callOptions;
  const endpoint = config === undefined ? "/run" : "/playground/run";
  const response = await (options.fetch ?? fetch)(`${base}${endpoint}${encodedPath(path)}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "text/event-stream, application/json",
      ...traceHeaders(),
      ...(options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` }),
      ...options.headers,
      ...headers,
    },
    // What is undefined is left out of JSON.
    body: JSON.stringify({ config, environment, variant, inputs: input }),
    signal: signal ?? null,
  });
  if (!response.ok) throw await errorOf(response);
  return response;
}

// A key of the proxy is one segment, whatever characters it has.
function encodedPath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

/** Puts the call below the span that is active here. */
function traceHeaders(): Record<string, string> {
  const context = trace.getActiveSpan()?.spanContext();
  if (context === undefined) return {};
  const { traceId, spanId, traceFlags, traceState } = context;
  const state = traceState?.serialize();
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`,
    ...(state ? { tracestate: state } : {}),
  };
}

async function collected(response: Response): Promise<CallAnswer<unknown>> {
  if (!isEvents(response)) {
    const body = (await response.json()) as AnswerBody;
    return { data: body.data, ...idsOf(body) };
  }
  const chunks: unknown[] = [];
  for await (const event of answerEvents(response)) {
    if (event.kind === "done") return { ...event.ids, data: joined(chunks) };
    chunks.push(event.chunk);
  }
  throw cutOff(response);
}

async function* answerEvents(response: Response): AsyncGenerator<AnswerEvent, void, void> {
  if (!isEvents(response) || response.body === null) {
    // The function returned a value: one chunk.
    const { data, ...ids } = await collected(response);
    yield { kind: "chunk", chunk: data };
    yield { kind: "done", ids };
    return;
  }
  for await (const { event, data } of readEvents(response.body)) {
    switch (event) {
      case "chunk":
        yield { kind: "chunk", chunk: JSON.parse(data) };
        break;
      case "done":
        yield { kind: "done", ids: idsOf(JSON.parse(data) as AnswerBody) };
        return;
      case "error":
        throw errorFrom(JSON.parse(data), response);
    }
  }
  throw cutOff(response);
}

interface AnswerBody {
  readonly data: unknown;
  readonly trace_id: string;
  readonly span_id: string;
  readonly trace?: SpanRecord;
}

function idsOf({ trace_id, span_id, trace: tree }: AnswerBody): Ids {
  return { traceId: trace_id, spanId: span_id, trace: tree ?? null };
}

function joined(chunks: readonly unknown[]): unknown {
  const isText = chunks.length > 0 && chunks.every((chunk) => typeof chunk === "string");
  return isText ? chunks.join("") : chunks;
}

function isEvents(response: Response): boolean {
  return response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
}

function cutOff(response: Response): ClientError {
  return errorFrom({ detail: [] }, response, "The connection was lost before the stream was done.");
}

async function errorOf(response: Response): Promise<ClientError> {
  const text = await response.text();
  try {
    return errorFrom(JSON.parse(text), response);
  } catch {
    // A proxy in between answers with pages of its own.
    return errorFrom({ detail: [] }, response, text.slice(0, 200));
  }
}

function errorFrom(body: unknown, response: Response, otherwise = ""): ClientError {
  const { detail, trace_id } = (body ?? {}) as {
    detail?: ClientError["detail"];
    trace_id?: string;
  };
  const details = Array.isArray(detail) ? (detail as ClientError["detail"]) : [];
  const said = details.map(({ loc, msg }) => (loc.length > 0 ? `${loc.join(".")}: ${msg}` : msg));
  const message = said.join(" ") || otherwise || response.statusText;
  const retryAfter = Number.parseInt(response.headers.get("retry-after") ?? "", 10);
  return new ClientError(`${response.url} answered ${response.status}: ${message}`, {
    status: response.status,
    detail: details,
    traceId: trace_id ?? null,
    retryAfter: Number.isNaN(retryAfter) ? null : retryAfter,
  });
}
