import type { TracerProvider } from "@opentelemetry/api";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { FieldValue } from "../config/base-model.ts";
import type {
  ConfigDeclaration,
  EveryFieldDefaults,
  InferConfig,
} from "../config/config-declaration.ts";
import { DeclarationError } from "../config/declaration-error.ts";
import type { ConfigManager } from "../config-source/config-manager.ts";
import type { ConfigSource } from "../config-source/config-source.ts";
import type { RouteDefinition } from "../routes/route-table.ts";
import type {
  Call,
  DeclareFrom,
  DeclareRoute,
  Route,
  RouteOptions,
} from "../routes/route-types.ts";
import { ANSWER, type Answer } from "../server/answer.ts";
import type { CorsOptions } from "../server/cors.ts";
import type { IncomingCall } from "../server/incoming-call.ts";
import type {
  SpanProcessorLike,
  SpanProcessorOptions,
} from "../tracing/existing-span-processor.ts";
import type { ExportStatistics } from "../tracing/telemetry.ts";
import type { TelemetryOptions } from "../tracing/telemetry-options.ts";

// biome-ignore lint/suspicious/noExplicitAny: any route at all.
export type AnyRoute = Route<any, any, any, any, any, any>;

// biome-ignore lint/suspicious/noExplicitAny: any method at all.
type AnyMethod = (input: any, call: any) => unknown;

/**
 * Decorated methods by the paths of their routes. A decorator cannot change the type of its method,
 * so the path is named here once more; it is compared with the declared one.
 */
export type MethodsByPath = Readonly<Record<`/${string}`, AnyMethod>>;

/** What types an app: its routes, and its decorated methods by path. */
export type TypedBy = AnyRoute | MethodsByPath;

/** The routes of what an app is typed by. */
export type RoutesIn<Given> = Given extends AnyRoute
  ? Given
  : { [Path in keyof Given & string]: MethodRoute<Path, Given[Path]> }[keyof Given & string];

type MethodRoute<Path extends string, Method> = Method extends AnyRoute
  ? Method
  : Method extends (input: infer Input, call: infer Given) => infer Result
    ? Route<Path, MethodConfig<Given>, Input, Result>
    : never;

/** As the method declares it: `{ config }: ag.Call<ClassifyConfig>`. */
type MethodConfig<Given> = [Given] extends [Call<infer Config>]
  ? Config
  : Readonly<Record<string, FieldValue>>;

/** Which call it was that failed. */
export interface FailedCall {
  /** The path of the route. */
  readonly route: string;
  readonly traceId: string;
  readonly spanId: string;
}

/** How an app runs. What is not given comes from the environment. */
export interface AppOptions extends TelemetryOptions {
  /** The application's slug in the registry and on spans; `AGATE_APPLICATION`. */
  readonly application?: string | undefined;
  /** The environment of deployed calls that name none; `AGATE_ENVIRONMENT`, else `production`. */
  readonly environment?: string | undefined;
  /** Where deployed endpoints get their configuration from. */
  readonly configSource?: ConfigSource | undefined;
  /**
   * Is told of what a route's function threw, beside the client; by default it goes to the console,
   * without secrets. An `HttpError` is an answer and is not told.
   */
  readonly onError?: ((error: unknown, call: FailedCall) => void) | undefined;
  /** False to serve no playground endpoints: callers cannot choose a configuration then. */
  readonly playground?: boolean | undefined;
  /**
   * True to answer deployed calls with the message of what a function threw. By default the answer says
   * that the function failed, and names the trace that has the error. An `HttpError` is always told.
   */
  readonly exposeErrors?: boolean | undefined;
  /** Bytes that a request's body may have; 10 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * The path that the app is served below, such as `/api/agate`, where what calls it leaves the path
   * as it is. Without effect where others run the program: `AGATE_LISTEN`.
   */
  readonly basePath?: string | undefined;
  /** Which pages of other origins may call the app from a browser; by default none. */
  readonly cors?: CorsOptions | undefined;
}

/** What a platform that bills by the request gives to a handler beside it. */
export interface ExecutionContext {
  waitUntil?(promise: Promise<unknown>): void;
}

/**
 * Routes that are served together. It is a web-standard handler: `export default app` is all that
 * Bun, Deno and workers need, `app.fetch` all that Hono needs.
 */
export interface App<Routes extends AnyRoute = AnyRoute> {
  /** Answers a request. Needs no `this`. */
  readonly fetch: (
    request: Request,
    environment?: unknown,
    context?: ExecutionContext,
  ) => Promise<Response>;

  /** Declares a route of this app: see `ag.route`. */
  readonly route: DeclareRouteOnApp;
  /** Declares this app's entrypoint: see `ag.entrypoint`. */
  readonly entrypoint: DeclareEntrypointOnApp;
  /**
   * This app, typed by the routes that it is given: for `createClient<typeof app>`.
   *
   * @throws DeclarationError where one of them is no route of this app, or has another path.
   */
  readonly typed: <Given extends readonly TypedBy[]>(
    ...routes: Given
  ) => App<RoutesIn<Given[number]>>;
  /** Reads this app's configurations. */
  readonly ConfigManager: ConfigManager;
  /** What this app traces with, for other libraries: see `ag.tracerProvider`, `ag.spanProcessor`. */
  readonly telemetry: AppTelemetry;
  /** Sends every span that has ended. */
  readonly flush: () => Promise<void>;
  /** Sends what is left and lets go of timers and connections. */
  readonly shutdown: () => Promise<void>;
  /** Answers a request of any kind: what `fetch` and `toNodeHandler` are made of. */
  readonly [ANSWER]: (incoming: IncomingCall) => Answer | Promise<Answer>;
  /** The paths that are declared so far: what tells an app from any other handler. */
  readonly [ROUTE_PATHS]: () => readonly string[];
  /** Never there: carries the routes' types to `createClient`. */
  readonly "~routes"?: Routes;
}

/** The part of an app's telemetry that is public: the rest needs types that its users do not have. */
export interface AppTelemetry {
  readonly tracerProvider: TracerProvider;
  readonly spanProcessor: (options?: SpanProcessorOptions) => SpanProcessorLike;
  readonly statistics: () => ExportStatistics;
}

export interface DeclareRouteOnApp {
  /**
   * Exposes a function or a method as two endpoints, `POST /playground/run/…` and `POST /run/…`.
   *
   * @example
   * const summarize = ag.route("/summarize", SummarizeConfig)(async ({ text }: { text: string }) => …);
   *
   * class Support {
   *   @ag.route("/classify", ClassifyConfig)
   *   static async classify({ ticket }: { ticket: string }) { … }
   * }
   * @throws DeclarationError which says what to write instead.
   */
  <const Path extends string, Config extends ConfigDeclaration>(
    path: Path,
    config: Config & EveryFieldDefaults<Config>,
  ): DeclareRoute<Path, InferConfig<Config>>;
  /**
   * Likewise, with schemas: inputs and outputs are checked and typed by any Standard Schema.
   *
   * @example
   * const translate = ag.route("/translate", { config: TranslateConfig, input: z.object({ text: z.string() }) })(
   *   async ({ text }, { config, signal }) => …,
   * );
   */
  <
    const Path extends string,
    Config extends ConfigDeclaration,
    Input extends StandardSchemaV1 | undefined = undefined,
    Output extends StandardSchemaV1 | undefined = undefined,
    Chunk extends StandardSchemaV1 | undefined = undefined,
  >(
    path: Path,
    options: RouteOptions<Config, Input, Output, Chunk>,
  ): DeclareFrom<Path, Config, Input, Output, Chunk>;
}

export interface DeclareEntrypointOnApp {
  /**
   * Exposes a function or a method as the app's route `/`: `POST /generate`, `/playground/run`,
   * `/generate_deployed` and `/run`.
   *
   * @example
   * export const answer = ag.entrypoint(AnswerConfig)(async ({ question }: { question: string }) => …);
   * @throws DeclarationError which says what to write instead.
   */
  <Config extends ConfigDeclaration>(
    config: Config & EveryFieldDefaults<Config>,
  ): DeclareRoute<"/", InferConfig<Config>>;
  <
    Config extends ConfigDeclaration,
    Input extends StandardSchemaV1 | undefined = undefined,
    Output extends StandardSchemaV1 | undefined = undefined,
    Chunk extends StandardSchemaV1 | undefined = undefined,
  >(
    options: RouteOptions<Config, Input, Output, Chunk>,
  ): DeclareFrom<"/", Config, Input, Output, Chunk>;
}

/**
 * The method by which an app lists its routes. Registered, so that an app is known as one even where
 * a program holds the SDK twice.
 */
export const ROUTE_PATHS: unique symbol = Symbol.for("agate.sdk.routePaths");

/** What an evaluation needs of the declaration of its route; on every function that is a route. */
export interface DeclaredRoute {
  readonly app: App;
  /** The slug of the app's application. */
  readonly application: string;
  readonly definition: RouteDefinition;
}

export const DECLARED_ROUTE: unique symbol = Symbol.for("agate.sdk.declaredRoute");

/** The declaration of a route; undefined of any other function. */
export function declaredRoute(route: object): DeclaredRoute | undefined {
  return (route as { readonly [DECLARED_ROUTE]?: () => DeclaredRoute | undefined })[
    DECLARED_ROUTE
  ]?.();
}

/**
 * Checks what an app is typed by: a client would call other paths than the app serves.
 *
 * @param declared The path of each route of the app, by the function or method of its declaration.
 * @throws DeclarationError which says what to write instead.
 */
export function checkTypedBy(declared: WeakMap<object, string>, given: TypedBy): void {
  if (typeof given === "function") {
    checkRoute(declared, given);
    return;
  }
  const entries = Object.entries(given);
  if (entries.length === 0) throw new DeclarationError(NO_METHODS);
  for (const [path, method] of entries) {
    const served = isObject(method) ? declared.get(method) : undefined;
    if (served === path) continue;
    throw new DeclarationError(
      served === undefined
        ? `What is given for ${path} is no route of this app. Decorate the method, @ag.route(${JSON.stringify(path)}, …), and pass it as it is: an overriding or bound method is another one.`
        : `The method given for ${path} is the route ${served}. Write { ${JSON.stringify(served)}: … }.`,
    );
  }
}

const NO_METHODS =
  'An object without routes is given. Pass decorated methods by their paths: ag.app({ "/classify": Support.classify }).';

function checkRoute(declared: WeakMap<object, string>, given: object): void {
  const { path } = given as { readonly path?: unknown };
  if (typeof path !== "string") {
    const served = declared.get(given);
    throw new DeclarationError(
      `${nameOf(given)} is given, which has no path in its type. Pass decorated methods by their paths: ag.app({ ${JSON.stringify(served ?? "/classify")}: … }).`,
    );
  }
  if (declared.get(given) === path) return;
  throw new DeclarationError(
    `The route ${path} was declared on another app. Pass the routes of this one.`,
  );
}

function nameOf(given: object): string {
  const { name } = given as { readonly name?: unknown };
  return typeof name === "string" && name !== "" ? name : "A function";
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
