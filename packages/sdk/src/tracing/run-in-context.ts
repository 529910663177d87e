import type { Context } from "@opentelemetry/api";
import { runInside } from "./active-context.ts";
import type { Faults } from "./faults.ts";

/**
 * Runs a function inside a context. Whatever the function throws is thrown; if the context manager
 * fails before the function is called, the function is called all the same.
 */
export function runInContext<R>(faults: Faults, inside: Context, run: () => R): R {
  let isCalled = false;
  try {
    return runInside(inside, () => {
      isCalled = true;
      return run();
    });
  } catch (error) {
    if (isCalled) throw error;
    faults.add(error);
    return run();
  }
}
