import { context, ROOT_CONTEXT } from "@opentelemetry/api";
import { suppressTracing } from "@opentelemetry/core";
import { outsideContext } from "../context/context-slot.ts";

/**
 * Runs work in the context of no call, untraced. What the whole app shares (a connection, a cache) must
 * not run in the context of the call that happened to come first: it would keep that call's data in
 * memory, and its spans would become children of that call's span.
 */
export function detached<R>(work: () => R): R {
  return outsideContext(() => context.with(suppressTracing(ROOT_CONTEXT), work));
}
