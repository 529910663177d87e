import { DeclarationError } from "../config/declaration-error.ts";
import { createConfigManager } from "../config-source/config-manager.ts";
import { type ConfigSource, UNNAMED_APPLICATION } from "../config-source/config-source.ts";
import { defaultConfigSource } from "../config-source/default-config-source.ts";
import { fileConfigSource } from "../config-source/file-config-source.ts";
import { outsideContext } from "../context/context-slot.ts";
import { callDirectly } from "../routes/call-directly.ts";
import { declareRoute, type RouteHost } from "../routes/declare-route.ts";
import { RouteTable } from "../routes/route-table.ts";
import { callSlot } from "../routes/running-call.ts";
import { warnOnConsole } from "../runtime/console.ts";
import { applicationSetting, setting, useBindings } from "../runtime/environment.ts";
import { type OptionNames, switchProblem, unknownOption } from "../runtime/unknown-option.ts";
import { isRequestBound, keepRequestAlive } from "../runtime/workers-runtime.ts";
import { ANSWER, toResponse } from "../server/answer.ts";
import { type CorsOptions, corsPolicy } from "../server/cors.ts";
import { basePathOf, handleCall } from "../server/handle-call.ts";
import { fromRequest, type IncomingCall } from "../server/incoming-call.ts";
import type { Workflow } from "../server/workflow.ts";
import { isContextLeaked } from "../tracing/active-context.ts";
import { createTelemetry } from "../tracing/create-telemetry.ts";
import { describeThrown } from "../tracing/describe-thrown.ts";
import type { Telemetry } from "../tracing/telemetry.ts";
import type { ExportLimits } from "../tracing/telemetry-options.ts";
import { withEnvironment } from "../tracing/telemetry-options.ts";
import { answerAndFlush } from "./answer-and-flush.ts";
import type { App, AppOptions, DeclaredRoute, ExecutionContext, TypedBy } from "./app.ts";
import { checkTypedBy, DECLARED_ROUTE, ROUTE_PATHS } from "./app.ts";

const MAX_BODY_BYTES = 10 * 1024 * 1024;

/**
 * An app of its own, apart from the one that `ag.route` declares on: its own routes, telemetry and
 * configuration.
 *
 * @example
 * const app = ag.createApp({ application: "support" });
 * export const classify = app.route("/classify", ClassifyConfig)(async ({ ticket }: { ticket: string }) => …);
 * export default app;
 */
export function createApp(options: AppOptions = {}): App {
  checkOptions(options);
  return buildApp({
    options: () => options,
    telemetry: () => createTelemetry(withEnvironment(options)),
  });
}

/**
 * Checks options when they are given, and not at the first request.
 *
 * @throws DeclarationError which says what to write instead.
 */
export function checkOptions(options: AppOptions): void {
  const { basePath, cors, limits, exposeErrors, playground } = options;
  const wrong =
    unknownOption("The app", options, APP_OPTIONS) ??
    unknownOption("cors", cors ?? {}, CORS_OPTIONS) ??
    unknownOption("limits", limits ?? {}, LIMITS) ??
    switchProblem("exposeErrors", exposeErrors) ??
    switchProblem("playground", playground);
  if (wrong !== null) throw new DeclarationError(wrong);
  basePathOf(basePath);
  corsPolicy(cors);
}

const APP_OPTIONS: OptionNames<AppOptions> = {
  application: true,
  environment: true,
  baseUrl: true,
  apiKey: true,
  configSource: true,
  basePath: true,
  cors: true,
  redact: true,
  captureContent: true,
  contentLimit: true,
  disabled: true,
  onError: true,
  playground: true,
  exposeErrors: true,
  onWarning: true,
  maxBodyBytes: true,
  limits: true,
  fetch: true,
};

const CORS_OPTIONS: OptionNames<CorsOptions> = {
  origins: true,
  headers: true,
  credentials: true,
  maxAge: true,
};

const LIMITS: OptionNames<ExportLimits> = {
  maxSpans: true,
  maxBytes: true,
  batchSpans: true,
  batchBytes: true,
  intervalMs: true,
  retryMs: true,
  maxRetryMs: true,
  timeoutMs: true,
  flushMs: true,
};

interface AppParts {
  /** Asked when the app is first used, so that `ag.init` may come after the declarations. */
  readonly options: () => AppOptions;
  readonly telemetry: () => Telemetry;
}

type Declared = Parameters<typeof declareRoute>[2];

/** Puts an app together. Nothing is read, opened or started before it is used. */
export function buildApp(parts: AppParts): App {
  const routes = new RouteTable();
  /** The path of each route, by what its declaration returned. */
  const declared = new WeakMap<object, string>();
  const workflow = lazily(() => workflowOf(parts, routes));
  const host: RouteHost = {
    get: (path) => routes.get(path),
    add: (route) => routes.add(route),
    replace: (route) => routes.replace(route),
    callDirectly: (...call) => callDirectly(workflow(), ...call),
  };
  const declare = (
    path: string,
    given: Declared,
    entrypoint: boolean,
    more: readonly unknown[],
  ) => {
    const wrap = declareRoute(host, path, given, entrypoint, more);
    return (...target: Parameters<typeof wrap>) => {
      const route = wrap(...target);
      declared.set(route, path);
      const declaration = (): DeclaredRoute | undefined => {
        const definition = routes.get(path);
        if (definition === undefined) return undefined;
        return {
          app: app as unknown as App,
          definition,
          get application() {
            return workflow().application ?? UNNAMED_APPLICATION;
          },
        };
      };
      return Object.defineProperty(route, DECLARED_ROUTE, { value: declaration });
    };
  };

  const answer = (incoming: IncomingCall) => {
    const { configSource, telemetry } = workflow();
    const handling = () => handleCall(workflow(), incoming);
    const answering = () => (isContextLeaked() ? outsideContext(handling) : handling());
    const { waitUntil } = incoming;
    if (waitUntil !== undefined || isRequestBound()) {
      const flush = () => telemetry.flush();
      return answerAndFlush(incoming, answering, flush, waitUntil ?? keepRequestAlive);
    }
    configSource.startLiveUpdates?.();
    return answering();
  };
  const app = {
    async fetch(request: Request, environment?: unknown, context?: ExecutionContext) {
      useBindings(environment);
      const waitUntil = context?.waitUntil?.bind(context);
      return toResponse(await answer(fromRequest(request, waitUntil)));
    },
    [ANSWER]: answer,
    [ROUTE_PATHS]: () => routes.all().map(({ path }) => path),
    route: (path: string, given: Declared, ...more: unknown[]) => declare(path, given, false, more),
    entrypoint: (given: Declared, ...more: unknown[]) => declare("/", given, true, more),
    typed(...given: readonly TypedBy[]) {
      for (const each of given) checkTypedBy(declared, each);
      return app;
    },
    ConfigManager: createConfigManager({
      source: () => callSlot.get()?.configSource ?? workflow().configSource,
      file: (path) => fileConfigSource(path),
      application: () => workflow().application ?? UNNAMED_APPLICATION,
      environment: () => workflow().environment,
      currentRoute: () => callSlot.get()?.route,
      routesOf: (schema) =>
        routes
          .all()
          .filter(({ config }) => config.declaration === schema)
          .map(({ path }) => path),
    }),
    get telemetry() {
      return workflow().telemetry;
    },
    flush: () => workflow().telemetry.flush(),
    async shutdown() {
      const { telemetry, configSource } = workflow();
      await Promise.all([telemetry.shutdown(), configSource.close()]);
    },
  };
  // The overloads say what each declaration returns; at run time it is one function.
  return app as unknown as App;
}

function workflowOf(parts: AppParts, routes: RouteTable): Workflow {
  const options = parts.options();
  const telemetry = parts.telemetry();
  return {
    routes,
    application: applicationSetting(options.application) ?? null,
    environment: setting(options.environment, "AGATE_ENVIRONMENT") ?? "production",
    telemetry,
    configSource: options.configSource ?? sourceOf(options),
    maxBodyBytes: options.maxBodyBytes ?? MAX_BODY_BYTES,
    basePath: basePathOf(options.basePath),
    cors: corsPolicy(options.cors),
    playground: options.playground ?? true,
    exposeErrors: options.exposeErrors ?? false,
    warn: warnOnce(options, telemetry),
    reportFailure: failureReporter(options, telemetry),
  };
}

/** Tells a person each sentence the first time. */
function warnOnce({ onWarning = warnOnConsole }: AppOptions, telemetry: Telemetry) {
  const told = new Set<string>();
  return (sentence: string): void => {
    if (told.has(sentence)) return;
    told.add(sentence);
    try {
      onWarning(sentence);
    } catch (error) {
      telemetry.fault(error);
    }
  };
}

function sourceOf({ baseUrl, apiKey, onWarning = warnOnConsole, fetch }: AppOptions): ConfigSource {
  return defaultConfigSource({
    apiKey,
    onWarning,
    fetch,
    ...(baseUrl === undefined ? {} : { baseUrl }),
  });
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Tells of what functions threw, as the app's options say. */
export function failureReporter(
  { onError }: AppOptions,
  telemetry: Telemetry,
): Workflow["reportFailure"] {
  return (thrown, route, span) => {
    const { traceId, spanId } = span.spanContext();
    try {
      // In the call's own span, so that what is told elsewhere can name it.
      if (onError !== undefined) {
        const told: unknown = telemetry.withSpan(span, () =>
          onError(thrown, { route, traceId, spanId }),
        );
        // An `async` one must not end the process by a rejection.
        if (told instanceof Promise) told.catch((error: unknown) => telemetry.fault(error));
      } else warnOnConsole(telemetry.redact(`${route} failed, trace ${traceId}: ${shown(thrown)}`));
    } catch (error) {
      // What tells of failures must not be one of them.
      telemetry.fault(error);
    }
  };
}

function shown(thrown: unknown): string {
  const { stack, message } = describeThrown(thrown);
  return stack ?? message;
}
