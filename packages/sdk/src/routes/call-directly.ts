import type { ConfigSchema, ParseOptions } from "../config/config-schema.ts";
import { ConfigValidationError } from "../config/config-validation-error.ts";
import type { ConfigSource } from "../config-source/config-source.ts";
import { contextWith } from "../context/context-slot.ts";
import { type Dictionary, type RoutingContext, routingSlot } from "../context/routing-context.ts";
import { recordByRules } from "../tracing/content-rules.ts";
import type { ContentField } from "../tracing/redaction.ts";
import { runTraced } from "../tracing/run-traced.ts";
import { type Telemetry, telemetrySlot } from "../tracing/telemetry.ts";
import { type CurrentCall, callSlot } from "./current-call.ts";
import type { RouteDefinition } from "./route-definition.ts";
import type { Call, DirectCall } from "./route-types.ts";
import { startWorkflowSpan } from "./workflow-span.ts";

/**
 * Runs a route that code calls as the function it is, in a span of its own. Its configuration is the
 * one it is given, else that of the routing context; inside another call, its own of the same
 * revision; else the defaults.
 */
export function callDirectly(
  app: { readonly telemetry: Telemetry; readonly configSource: ConfigSource },
  route: RouteDefinition,
  handler: (input: unknown, call: Call<unknown>) => unknown,
  given: unknown,
  direct: DirectCall<object> = {},
): unknown {
  const input = given === undefined ? route.absentInput() : given;
  const outer = callSlot.get();
  const around = routingSlot.get() ?? {};
  const values = direct.config ?? inherited(route, outer, around);
  const unknownFields = direct.config === undefined ? "ignore" : "refuse";
  const config = filled(route.config, values ?? {}, unknownFields);
  const telemetry = telemetrySlot.get() ?? app.telemetry;
  const span = startWorkflowSpan(telemetry, route, "direct");
  const record = (field: ContentField, value: unknown): void =>
    recordByRules(route.rules, telemetry, span, field, value);
  record("config", config);
  record("inputs", input);

  // Where nobody has configured it there is no configuration in the context either, so that
  // `ConfigManager.getFromRoute` asks the registry, as the contract says.
  const routing = values === undefined ? around : { ...around, config: config as Dictionary };
  const call = {
    config,
    span,
    get signal(): AbortSignal {
      return direct.signal ?? outer?.cancellation.signal ?? new AbortController().signal;
    },
  };
  const current: CurrentCall = {
    route: route.path,
    params: outer?.params ?? null,
    configSource: outer?.configSource ?? app.configSource,
    config: routing.config,
    cancellation: call,
  };
  const inside = contextWith(
    telemetrySlot.holding(telemetry),
    routingSlot.holding(routing),
    callSlot.holding(current),
  );
  const returned = (value: unknown): void => record("outputs", value);
  return inside(() => runTraced({ telemetry, span, returned }, () => handler(input, call)));
}

/** What a route is configured with where its caller says nothing; undefined where nobody does. */
function inherited(
  route: RouteDefinition,
  outer: CurrentCall | undefined,
  around: RoutingContext,
): object | undefined {
  // A block that names another environment has no configuration, even inside a call.
  if (around.config === undefined || around.config !== outer?.config) return around.config;
  const { params } = outer;
  return params !== null && Object.hasOwn(params, route.path) ? params[route.path] : {};
}

function filled(
  schema: ConfigSchema<object>,
  values: unknown,
  unknownFields: ParseOptions["unknownFields"],
): object {
  const outcome = schema.parse(values, { unknownFields });
  if (outcome instanceof Promise) {
    throw new Error(
      `${schema.name} has checks that are async, so its route cannot be called as a plain function. Call it over HTTP, or with createClient().`,
    );
  }
  if (outcome.kind === "valid") return outcome.config;
  throw new ConfigValidationError(schema.name, outcome.issues);
}
