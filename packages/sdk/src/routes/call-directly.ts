import type { ConfigSchema, ParseOptions } from "../config/config-schema.ts";
import { ConfigValidationError } from "../config/config-validation-error.ts";
import type { ConfigSource } from "../config-source/config-source.ts";
import { type Dictionary, routingSlot } from "../context/routing-context.ts";
import { recordContent } from "../tracing/record-content.ts";
import { runTraced } from "../tracing/run-traced.ts";
import { type Telemetry, telemetrySlot } from "../tracing/telemetry.ts";
import { callSlot } from "./current-call.ts";
import type { RouteDefinition } from "./route-definition.ts";
import type { Call, DirectCall } from "./route-types.ts";
import { startWorkflowSpan } from "./workflow-span.ts";

/**
 * Runs a route that code calls as the function it is, in a span of its own. Its configuration is the
 * one it is given; inside another call, that of the same revision; else the defaults.
 */
export function callDirectly(
  app: { readonly telemetry: Telemetry; readonly configSource: ConfigSource },
  route: RouteDefinition,
  handler: (input: unknown, call: Call<unknown>) => unknown,
  input: unknown,
  direct: DirectCall<object> = {},
): unknown {
  const outer = callSlot.get();
  const params = outer?.params ?? null;
  const ofRevision = params !== null && Object.hasOwn(params, route.path) ? params[route.path] : {};
  const config =
    direct.config === undefined
      ? filled(route.config, ofRevision, "ignore")
      : filled(route.config, direct.config, "refuse");
  const telemetry = telemetrySlot.get() ?? app.telemetry;
  const span = startWorkflowSpan(telemetry, route, "direct");
  recordContent(telemetry, span, "config", config);
  recordContent(telemetry, span, "inputs", input);

  // Outside any call and without a configuration there is none in the context, so that
  // `ConfigManager.getFromRoute` asks the registry, as the contract says.
  const isConfigured = outer !== undefined || direct.config !== undefined;
  const routing = isConfigured
    ? { ...routingSlot.get(), config: config as Dictionary }
    : routingSlot.get();
  const current = {
    route: route.path,
    params,
    configSource: outer?.configSource ?? app.configSource,
  };
  const call = {
    config,
    span,
    get signal(): AbortSignal {
      return direct.signal ?? new AbortController().signal;
    },
  };
  return telemetrySlot.run(telemetry, () =>
    routingSlot.run(routing ?? {}, () =>
      callSlot.run(current, () =>
        runTraced(
          {
            telemetry,
            span,
            returned: (value) => recordContent(telemetry, span, "outputs", value),
          },
          () => handler(input, call),
        ),
      ),
    ),
  );
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
