import { trace } from "@opentelemetry/api";
import { type OptionNames, unknownOption } from "../runtime/unknown-option.ts";
import { type Answered, cutOff, streamLeft } from "./call-failures.ts";
import type { CallAnswer, CallOptions, ClientOptions } from "./client-types.ts";
import { post } from "./post.ts";
import { answerEvents, isEventStream } from "./read-answer.ts";

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
  readonly #url: string;
  readonly #answered: Promise<Answered>;
  #collected: Promise<Collected> | undefined;

  constructor(parts: RouteCallParts) {
    this.#url = urlOf(parts);
    this.#answered = send(this.#url, parts);
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
      ended.reject(streamLeft(this.#url));
    }
  }
}

/** Everything that a call answered. */
interface Collected {
  readonly answer: CallAnswer<unknown>;
  readonly chunks: readonly unknown[];
}

function urlOf({ base, path, callOptions }: RouteCallParts): string {
  const endpoint = callOptions.config === undefined ? "/run" : "/playground/run";
  return `${base}${endpoint}${path.replaceAll(NOT_IN_PATHS, encodeURIComponent)}`;
}

async function send(
  url: string,
  { input, options, callOptions }: RouteCallParts,
): Promise<Answered> {
  const unknown = unknownOption(`The call of ${url}`, callOptions, CALL_OPTIONS);
  if (unknown !== null) throw new TypeError(unknown);
  const { config, environment, variant, signal, headers } = callOptions;
  const request = {
    headers: headersOf(options, headers),
    // What is undefined is left out of JSON.
    body: JSON.stringify({ config, environment, variant, inputs: input }),
    signal,
  };
  return post(url, request, options.fetch);
}

const CALL_OPTIONS: OptionNames<CallOptions<Record<string, unknown>>> = {
  config: true,
  environment: true,
  variant: true,
  signal: true,
  headers: true,
};

/** Those of the call come before those of the client, in whichever case they are written. */
function headersOf(options: ClientOptions, ofCall: ClientOptions["headers"]): Headers {
  const headers = new Headers({
    "content-type": "application/json",
    accept: "text/event-stream, application/json",
    ...traceHeaders(),
    ...(options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` }),
  });
  for (const given of [options.headers ?? {}, ofCall ?? {}]) {
    for (const [name, value] of Object.entries(given)) headers.set(name, value);
  }
  return headers;
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

function dataOf(answered: Answered, chunks: readonly unknown[]): unknown {
  if (!isEventStream(answered)) return chunks[0];
  const isText = chunks.length > 0 && chunks.every((chunk) => typeof chunk === "string");
  return isText ? chunks.join("") : chunks;
}
