import type { Span } from "@opentelemetry/api";
import { identitySlot } from "../context/identity.ts";
import { type Dictionary, type RoutingContext, routingSlot } from "../context/routing-context.ts";
import { callSlot } from "../routes/current-call.ts";
import type { RouteDefinition } from "../routes/route-definition.ts";
import { telemetrySlot } from "../tracing/telemetry.ts";
import type { CallSignal } from "./call-signal.ts";
import type { PreparedCall } from "./prepare-call.ts";
import type { Workflow } from "./workflow.ts";

/**
 * Runs functions inside a call: with everything that code in it can ask for, its telemetry, identity,
 * configuration and span.
 */
export function callContext(
  workflow: Workflow,
  route: RouteDefinition,
  call: PreparedCall,
  span: Span,
  cancellation: CallSignal,
): <R>(run: () => R) => R {
  const { telemetry, configSource } = workflow;
  const { config, params } = call;
  const current = { route: route.path, params, configSource, config, cancellation };
  const routing = routingOf(call);
  return (run) =>
    telemetrySlot.run(telemetry, () =>
      identitySlot.run(call.identity, () =>
        routingSlot.run(routing, () => callSlot.run(current, () => telemetry.withSpan(span, run))),
      ),
    );
}

function routingOf({ config, identity }: PreparedCall): RoutingContext {
  const { application, variantId, variantName, revision, environment } = identity;
  return {
    config: config as Dictionary,
    ...(application !== null && { application: { slug: application } }),
    ...(variantName !== null && { variant: { id: variantId, slug: variantName, revision } }),
    ...(environment !== null && { environment: { slug: environment } }),
  };
}
