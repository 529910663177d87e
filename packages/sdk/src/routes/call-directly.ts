import type { Cancellation } from "../context/call-state.ts";
import { cancellationSlot, identitySlot } from "../context/call-state.ts";
import { captureContext, contextWith } from "../context/context-slot.ts";
import { type Dictionary, routingSlot } from "../context/routing-context.ts";
import { type OptionNames, unknownOption } from "../runtime/unknown-option.ts";
import { outputLimitOf, recordByRules } from "../tracing/content-rules.ts";
import type { ContentField } from "../tracing/redaction.ts";
import { runTraced } from "../tracing/run-traced.ts";
import { type Telemetry, telemetrySlot } from "../tracing/telemetry.ts";
import { type ConfiguringApp, type DirectConfig, directConfig } from "./direct-config.ts";
import type { RouteDefinition } from "./route-table.ts";
import type { Call, DirectCall } from "./route-types.ts";
import { type CurrentCall, callSlot, startWorkflowSpan } from "./running-call.ts";

interface CallingApp extends ConfiguringApp {
  readonly telemetry: Telemetry;
}

type Handler = (input: unknown, call: Call<unknown>) => unknown;

/**
 * Runs a route that code calls as the function it is, in a span of its own. What is wrong with the call
 * is thrown, or rejected with where the function is async.
 */
export function callDirectly(
  app: CallingApp,
  route: RouteDefinition,
  handler: Handler,
  given: unknown,
  direct: DirectCall<object> = {},
): unknown {
  const input = given === undefined ? route.absentInput() : given;
  const run = (configured: DirectConfig): unknown =>
    runConfigured(app, route, handler, input, direct, configured);
  const canWait = route.kind === "async" || route.kind === "async-generator";
  let configured: DirectConfig | Promise<DirectConfig>;
  try {
    const unknown = unknownOption(`The call of the route ${route.path}`, direct, OPTIONS);
    if (unknown !== null) throw new TypeError(unknown);
    configured = directConfig(app, {
      route,
      outer: callSlot.get(),
      routing: routingSlot.get() ?? {},
      given: direct.config,
      canWait,
    });
  } catch (refused) {
    if (!canWait) throw refused;
    configured = Promise.reject(refused);
  }
  if (!(configured instanceof Promise)) return run(configured);
  const here = captureContext();
  if (route.kind === "async") return configured.then((ready) => here(() => run(ready)));
  return generatorOf(configured, (ready) => here(() => run(ready) as AsyncGenerator));
}

/** A method that calls its parent's may hand over all that it was given itself. */
const OPTIONS: OptionNames<DirectCall<object> & Call<object>> = {
  config: true,
  signal: true,
  span: true,
  evaluation: true,
};

/** A generator whose configuration is known later. What is wrong with it is thrown to the first `next()`. */
function generatorOf(
  configured: Promise<DirectConfig>,
  run: (ready: DirectConfig) => AsyncGenerator,
): AsyncGenerator {
  configured.catch(() => {
    // A generator that is never asked for a value has done nothing, and nothing has failed.
  });
  return (async function* () {
    return yield* run(await configured);
  })();
}

function runConfigured(
  app: CallingApp,
  route: RouteDefinition,
  handler: Handler,
  input: unknown,
  direct: DirectCall<object>,
  { config, isConfigured, params, identity = identitySlot.get() }: DirectConfig,
): unknown {
  const outer = callSlot.get();
  const around = routingSlot.get() ?? {};
  const telemetry = telemetrySlot.get() ?? app.telemetry;
  const start = () => startWorkflowSpan(telemetry, route, "direct");
  const span = identity === undefined ? start() : identitySlot.run(identity, start);
  const record = (field: ContentField, value: unknown): void =>
    recordByRules(route.rules, telemetry, span, field, value);
  record("config", config);
  record("inputs", input);

  // A call with nothing but defaults has no configuration in the context either, so that
  // `ConfigManager.getFromRoute` asks the registry, as the contract says.
  const routing = isConfigured ? { ...around, config: config as Dictionary } : around;
  const cancellation = new DirectCancellation(direct.signal, cancellationSlot.get());
  const evaluation = outer?.evaluation;
  const call = {
    config,
    span,
    evaluation,
    get signal(): AbortSignal {
      return cancellation.signal;
    },
  };
  const current: CurrentCall = {
    route: route.path,
    params,
    configSource: outer?.configSource ?? app.configSource,
    config: routing.config,
    evaluation,
  };
  const inside = contextWith(
    telemetrySlot.holding(telemetry),
    routingSlot.holding(routing),
    callSlot.holding(current),
    ...(identity === undefined ? [] : [identitySlot.holding(identity)]),
    cancellationSlot.holding(cancellation),
  );
  const outputLimit = outputLimitOf(route.rules, telemetry);
  const returned = (value: unknown): void => record("outputs", value);
  const onLeave = (): void => cancellation.leave();
  const traced = { telemetry, span, cancellation, outputLimit, onLeave, returned };
  return inside(() => runTraced(traced, () => handler(input, call)));
}

/** The cancellation of a call from code: its consumer leaves the stream, or a signal is aborted. */
class DirectCancellation implements Cancellation {
  readonly #given: AbortSignal | undefined;
  readonly #outer: Cancellation | undefined;
  #made: AbortSignal | undefined;
  #isLeft = false;

  constructor(given: AbortSignal | undefined, outer: Cancellation | undefined) {
    this.#given = given;
    this.#outer = outer;
  }

  /** The one that the caller passes, else that of the call around it. */
  get signal(): AbortSignal {
    this.#made ??= this.#given ?? this.#outer?.signal ?? new AbortController().signal;
    return this.#made;
  }

  get isCancelled(): boolean {
    const isAbortedByCaller = this.#given !== undefined && isAborted(this.#given);
    return this.#isLeft || isAbortedByCaller || this.#outer?.isCancelled === true;
  }

  leave(): void {
    this.#isLeft = true;
  }
}

function isAborted({ aborted, reason }: AbortSignal): boolean {
  const isTimeout = reason instanceof DOMException && reason.name === "TimeoutError";
  return aborted && !isTimeout;
}
