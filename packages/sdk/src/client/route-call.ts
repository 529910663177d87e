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
  readonly #answered: Promise<Answered>;
  #collected: Promise<Collected> | undefined;

  constructor(parts: RouteCallParts) {
    this.#answered = send(parts);
  }

  get answer(): Promise<CallAnswer<unknown>> {
    this.#collected ??= this.#answered.then(collected);
    return this.#collected.then(({ answer }) => answer);
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
    if (this.#collected !== undefined) {
      // Its body has been read.
      yield* (await this.#collected).chunks;
      return;
    }
    // Before anything is awaited: a body is read once, and `answer` may be asked for meanwhile.
    const ended = Promise.withResolvers<Collected>();
    ended.promise.catch(() => {});
    this.#collected = ended.promise;
    const chunks: unknown[] = [];
    try {
      const answered = await this.#answered;
      for await (const event of answerEvents(answered)) {
        if (event.kind === "done") {
          ended.resolve({ answer: { ...event.ids, data: dataOf(answered, chunks) }, chunks });
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

/** An answer that began well, and where it came from: a response of one's own `fetch` does not know. */
interface Answered {
  readonly url: string;
  readonly response: Response;
}

/** Everything that a call answered. */
interface Collected {
  readonly answer: CallAnswer<unknown>;
  readonly chunks: readonly unknown[];
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
}: RouteCallParts): Promise<Answered> {
  const { config, environment, variant, signal, headers } = callOptions;
  const endpoint = config === undefined ? "/run" : "/playground/run";
  const url = `${base}${endpoint}${path.replaceAll(NOT_IN_PATHS, encodeURIComponent)}`;
  const response = await (options.fetch ?? fetch)(url, {
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
  if (!response.ok) throw await errorOf({ url, response });
  return { url, response };
}

/** What the path of a route cannot have: a typed client's are as they were declared. */
const NOT_IN_PATHS = /[^A-Za-z0-9._~!$&'()*+,;=:@/%-]|%(?![0-9A-Fa-f]{2})/gu;

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

async function collected(answered: Answered): Promise<Collected> {
  const chunks: unknown[] = [];
  for await (const event of answerEvents(answered)) {
    if (event.kind === "done") {
      return { answer: { ...event.ids, data: dataOf(answered, chunks) }, chunks };
    }
    chunks.push(event.chunk);
  }
  throw cutOff(answered);
}

async function* answerEvents(answered: Answered): AsyncGenerator<AnswerEvent, void, void> {
  const { response } = answered;
  if (!isEvents(response) || response.body === null) {
    // The function returned a value: one chunk.
    const body = (await response.json()) as AnswerBody;
    yield { kind: "chunk", chunk: body.data };
    yield { kind: "done", ids: idsOf(body) };
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
        throw errorFrom(JSON.parse(data), answered);
    }
  }
  throw cutOff(answered);
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

function dataOf({ response }: Answered, chunks: readonly unknown[]): unknown {
  if (!isEvents(response)) return chunks[0];
  const isText = chunks.length > 0 && chunks.every((chunk) => typeof chunk === "string");
  return isText ? chunks.join("") : chunks;
}

function isEvents(response: Response): boolean {
  return response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
}

function cutOff(answered: Answered): ClientError {
  return errorFrom({ detail: [] }, answered, "The connection was lost before the stream was done.");
}

async function errorOf(answered: Answered): Promise<ClientError> {
  const text = await answered.response.text();
  try {
    return errorFrom(JSON.parse(text), answered);
  } catch {
    // A proxy in between answers with pages of its own.
    return errorFrom({ detail: [] }, answered, text.slice(0, 200));
  }
}

function errorFrom(body: unknown, { url, response }: Answered, otherwise = ""): ClientError {
  const { detail, trace_id } = (body ?? {}) as {
    detail?: ClientError["detail"];
    trace_id?: string;
  };
  const details = Array.isArray(detail) ? (detail as ClientError["detail"]) : [];
  const said = details.map(({ loc, msg }) => (loc.length > 0 ? `${loc.join(".")}: ${msg}` : msg));
  const message = said.join(" ") || otherwise || response.statusText;
  const retryAfter = Number.parseInt(response.headers.get("retry-after") ?? "", 10);
  return new ClientError(`${url} answered ${response.status}: ${message}`, {
    status: response.status,
    detail: details,
    traceId: trace_id ?? null,
    retryAfter: Number.isNaN(retryAfter) ? null : retryAfter,
  });
}
