import type { Span } from "@opentelemetry/api";
import { cancellationSlot } from "../context/cancellation.ts";
import { contextWith } from "../context/context-slot.ts";
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
  const inside = contextWith(
    telemetrySlot.holding(telemetry),
    identitySlot.holding(call.identity),
    routingSlot.holding(routingOf(call)),
    callSlot.holding({ route: route.path, params, configSource, config }),
    cancellationSlot.holding(cancellation),
    telemetry.holding(span),
  );
  return (run) => inside(() => (telemetry.isActive(span) ? run() : telemetry.withSpan(span, run)));
}

function routingOf({ config, identity, params }: PreparedCall): RoutingContext {
  const { application, variantId, variantName, revision, environment } = identity;
  return {
    config: config as Dictionary,
    ...(application !== null && { application: { slug: application } }),
    // On the playground it names where the values come from; nothing is read from that revision.
    ...(variantName !== null &&
      params !== null && { variant: { id: variantId, slug: variantName, revision } }),
    ...(environment !== null && { environment: { slug: environment } }),
  };
}
