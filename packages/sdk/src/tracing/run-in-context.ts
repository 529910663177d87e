import { type Context, context, type Span } from "@opentelemetry/api";
import { contextInside } from "./active-context.ts";
import { agateSpanOf } from "./agate-span.ts";
import type { Faults } from "./faults.ts";

/**
 * Runs a function inside a span. Whatever the function throws is thrown; if the context manager
 * fails before the function is called, the function is called all the same.
 */
export function runInContext<R>(faults: Faults, outer: Context, span: Span, run: () => R): R {
  let isCalled = false;
  const call = (): R => {
    isCalled = true;
    return run();
  };
  try {
    return context.with(contextInside(outer, span, agateSpanOf(span) !== undefined), call);
  } catch (error) {
    if (isCalled) throw error;
    faults.add(error);
    return run();
  }
}
