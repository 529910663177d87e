import { AGATE_ATTRIBUTES } from "@agate/protocol";
import type { Span } from "@opentelemetry/api";
import type { SpanStart, Telemetry } from "../tracing/telemetry.ts";
import type { RouteDefinition } from "./route-definition.ts";

/** How a route was reached: over one of its endpoints, or as a function. */
export type CallOrigin = "playground" | "deployed" | "direct";

/** Starts the span of one call of a route. */
export function startWorkflowSpan(
  telemetry: Telemetry,
  route: RouteDefinition,
  origin: CallOrigin,
  { own = {}, parent, clock }: Pick<SpanStart, "own" | "parent" | "clock"> = {},
): Span {
  own["gen_ai.operation.name"] = "invoke_workflow";
  own["gen_ai.workflow.name"] = route.name;
  own[AGATE_ATTRIBUTES.route] = route.path;
  own[AGATE_ATTRIBUTES.origin] = origin;
  return telemetry.startSpan(route.spanName, { kind: "WORKFLOW", parent, own, clock });
}
