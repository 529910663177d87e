import type { Span } from "@opentelemetry/api";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { FieldValues } from "../config/base-model.ts";
import type {
  ConfigDeclaration,
  EveryFieldDefaults,
  InferConfig,
} from "../config/config-declaration.ts";
import type { ContentRules } from "../tracing/content-rules.ts";

/** What a handler is given beside its input. */
export interface Call<Config> {
  /** The configuration of this call, checked; the handler's own copy. */
  readonly config: Config;
  /** Aborted when the client goes away or the route's `timeout` has passed. */
  readonly signal: AbortSignal;
  /** The call's own span. */
  readonly span: Span;
  /** Set while an evaluation runs: keep tools with effects from acting then. */
  readonly evaluation?: EvaluationCall | undefined;
}

/** The item of an evaluation's run that a call is made for. */
export interface EvaluationCall {
  /** The run's id. */
  readonly run: string;
  /** The case's id in its test set. */
  readonly case: string;
  /** From 0. */
  readonly trial: number;
}

/** How a route is called from code: with a configuration of its own, or with that of the call around it. */
export interface DirectCall<Config> {
  readonly config?: FieldValues<Config> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The arguments of a call: the input may be left out where it may be `undefined` or `{}`. */
export type CallArguments<Input, Options> = unknown extends Input
  ? [input?: Input, options?: Options]
  : undefined extends Input
    ? [input?: Input, options?: Options]
    : Record<never, never> extends Input
      ? [input?: Input, options?: Options]
      : [input: Input, options?: Options];

/** The part of a route that only types see: what a client sends and gets. */
export interface RouteTypes<Path extends string, Config, Sent, Result> {
  readonly path: Path;
  readonly config: Config;
  readonly sent: Sent;
  readonly result: Result;
}

/**
 * A declared route: still the function it was made of, with a path.
 *
 * @example
 * const summarize = ag.route("/summarize", SummarizeConfig)(async ({ text }: { text: string }) => …);
 * await summarize({ text: "…" }, { config: { temperature: 0 } });
 */
export interface Route<Path extends string, Config, Input, Result, Sent = Input, Got = Result> {
  (...args: CallArguments<Input, DirectCall<Config>>): Result;
  readonly path: Path;
  /** Never there: carries the types to `createClient`. */
  readonly "~types"?: RouteTypes<Path, Config, Sent, Got>;
}

/**
 * The input of a function of type `Own`. What TypeScript infers as `Input` leaves out that a parameter
 * with a default may be `undefined`.
 */
type InputOf<Own, Input> = Own extends (input: infer Declared, call: never) => unknown
  ? Declared
  : Input;

/** What `ag.route(path, config)` returns: a decorator of methods and a wrapper of functions. */
export interface DeclareRoute<Path extends string, Config> {
  // biome-ignore lint/suspicious/noExplicitAny: the input's type is the method's own to declare.
  <This, Method extends (this: This, input: any, call: Call<Config>) => unknown>(
    method: Method,
    context: ClassMethodDecoratorContext<This, Method>,
  ): Method;
  <Input, Result, Own>(
    handler: ((input: Input, call: Call<Config>) => Result) & Own,
  ): Route<Path, Config, InputOf<Own, Input>, Result>;
}

/** What `ag.route(path, { config, output })` returns: the input is the function's own to declare. */
export interface DeclareReturningRoute<Path extends string, Config, Returned, Got> {
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  <This, Method extends (this: This, input: any, call: Call<Config>) => Returned>(
    method: Method,
    context: ClassMethodDecoratorContext<This, Method>,
  ): Method;
  <Input, Result extends Returned, Own>(
    handler: ((input: Input, call: Call<Config>) => Result) & Own,
  ): Route<
    Path,
    Config,
    InputOf<Own, Input>,
    Result,
    InputOf<Own, Input>,
    unknown extends Got ? Result : Got
  >;
}

/** What `ag.route(path, { config, input, output, stream })` returns: types come from the schemas. */
export interface DeclareTypedRoute<Path extends string, Config, Sent, Input, Returned, Got> {
  <This, Method extends (this: This, input: Input, call: Call<Config>) => Returned>(
    method: Method,
    context: ClassMethodDecoratorContext<This, Method>,
  ): Method;
  <Result extends Returned>(
    handler: (input: Input, call: Call<Config>) => Result,
  ): Route<Path, Config, Input, Result, Sent, unknown extends Got ? Result : Got>;
}

type Schema = StandardSchemaV1 | undefined;

type Sent<S extends Schema> = S extends StandardSchemaV1 ? StandardSchemaV1.InferInput<S> : never;
type Received<S extends Schema> = S extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<S>
  : never;

/** What a function may return for its route to stream it. */
export type Streamed<Chunk> = AsyncIterable<Chunk> | IterableIterator<Chunk>;

// `[S] extends [undefined]` and not `S extends undefined`: a union of the two must not distribute.
type Returned<Output extends Schema, Chunk extends Schema> = [Chunk] extends [undefined]
  ? [Output] extends [undefined]
    ? unknown
    : Sent<Output> | Promise<Sent<Output>>
  : Streamed<Sent<Chunk>> | Promise<Streamed<Sent<Chunk>>>;

type Got<Output extends Schema, Chunk extends Schema> = [Chunk] extends [undefined]
  ? [Output] extends [undefined]
    ? unknown
    : Received<Output>
  : AsyncIterable<Received<Chunk>>;

/** The declaration that options of these types make. */
export type DeclareFrom<
  Path extends string,
  Config extends ConfigDeclaration,
  Input extends Schema,
  Output extends Schema,
  Chunk extends Schema,
> = [Input] extends [undefined]
  ? DeclareReturningRoute<Path, InferConfig<Config>, Returned<Output, Chunk>, Got<Output, Chunk>>
  : DeclareTypedRoute<
      Path,
      InferConfig<Config>,
      Sent<Input>,
      Received<Input>,
      Returned<Output, Chunk>,
      Got<Output, Chunk>
    >;

/** `ag.route(path, { config, input, output, stream, … })`. */
export interface RouteOptions<
  Config extends ConfigDeclaration = ConfigDeclaration,
  Input extends StandardSchemaV1 | undefined = StandardSchemaV1 | undefined,
  Output extends StandardSchemaV1 | undefined = StandardSchemaV1 | undefined,
  Chunk extends StandardSchemaV1 | undefined = StandardSchemaV1 | undefined,
> extends ContentRules {
  /** A BaseModel class or a zod object. */
  readonly config: Config & EveryFieldDefaults<Config>;
  /** Checks and types what the function is called with. */
  readonly input?: Input;
  /** Checks and types what the function returns. */
  readonly output?: Output;
  /** Checks and types each chunk of a function that streams. */
  readonly stream?: Chunk;
  /** Milliseconds from the request's arrival until the call is aborted and answered with 504. */
  readonly timeout?: number | undefined;
  /** For people who read `/openapi.json`. */
  readonly description?: string | undefined;
  /** Whether the deployed endpoint answers with the message of what the function threw; as the app says. */
  readonly exposeErrors?: boolean | undefined;
}
