import type { ResolvedConfig } from "@agate/protocol";
import { AGATE_ATTRIBUTES } from "@agate/protocol";
import type { Span } from "@opentelemetry/api";
import type { ConfigSource } from "../config-source/config-source.ts";
import { ContextSlot } from "../context/context-slot.ts";
import type { SpanStart, Telemetry } from "../tracing/telemetry.ts";
import type { RouteDefinition } from "./route-table.ts";
import type { EvaluationCall } from "./route-types.ts";

/** The call that is running. */
export interface CurrentCall {
  /** The path of the route that was called. */
  readonly route: string;
  /** The configurations of all routes in the call's revision; null where there is no revision. */
  readonly params: ResolvedConfig["params"] | null;
  /** Of the app whose route it is. */
  readonly configSource: ConfigSource;
  /** What was in the routing context when the call began: another one there is a block's inside the call. */
  readonly config: object | undefined;
  /** The item of an evaluation's run that the call is made for, also of the calls made inside it. */
  readonly evaluation?: EvaluationCall | undefined;
}

export const callSlot = new ContextSlot<CurrentCall>("call");

/** How a route was reached: over one of its endpoints, or as a function. */
type CallOrigin = "playground" | "deployed" | "direct";

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
