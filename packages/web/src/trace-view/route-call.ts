import type { ListedSpan } from "@agate/protocol";
import { AGATE_ATTRIBUTES } from "@agate/protocol";

/** A recorded call of a route, with everything that is needed to call it again. */
export interface RouteCall {
  readonly spanId: string;
  readonly app: string;
  /** As declared: `/summarize`, `/`. */
  readonly route: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly inputs: unknown;
}

/** The call that a span records; null if it is none, or of an application that nobody names. */
export function routeCallOf(span: ListedSpan): RouteCall | null {
  const route = span.metadata.attributes[AGATE_ATTRIBUTES.route];
  const app = span.metadata.application;
  if (typeof route !== "string" || !route.startsWith("/") || app === null) return null;
  return {
    spanId: span.id,
    app,
    route,
    config: span.config ?? {},
    inputs: span.content.inputs ?? {},
  };
}
