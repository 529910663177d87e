import { endOk, endThrown, type TracedCall } from "./traced-call.ts";
import { isGenerator, tracedGenerator } from "./traced-generator.ts";

/**
 * Runs a function in a span that ends with it, or with the promise or generator that it returns.
 * What it returns and throws is passed on unchanged.
 */
export function runTraced<R>(call: TracedCall, run: () => R): R {
  let result: R;
  try {
    result = call.telemetry.withSpan(call.span, run);
  } catch (thrown) {
    endThrown(call, thrown);
    throw thrown;
  }
  if (isThenable(result)) return tracedThenable(call, result);
  if (isGenerator(result)) return tracedGenerator(result, () => call);
  endOk(call, result);
  return result;
}

function isThenable(value: unknown): value is object & { then: unknown } {
  return (
    typeof value === "object" &&
    value !== null &&
    "then" in value &&
    typeof value.then === "function"
  );
}

function tracedThenable<R extends { then: unknown }>(call: TracedCall, result: R): R {
  if (result instanceof Promise && result.then === Promise.prototype.then) {
    return tracedPromise(call, result);
  }
  // A lazy query, or a client's request that is read in one of several ways: `then` would start it,
  // or read it. And what is in it is the client's, with its keys.
  endOk(call, undefined);
  return result;
}

function tracedPromise<R extends Promise<unknown>>(call: TracedCall, promise: R): R {
  const observed = promise.then(
    (value) => {
      endOk(call, value);
      return value;
    },
    (thrown: unknown) => {
      endThrown(call, thrown);
      throw thrown;
    },
  );
  // The caller's promise is the observed one, so that a rejection nobody handles is still noticed.
  if (promise.constructor === Promise) return observed as R;
  // Clients return promises with methods of their own, which `then` would lose.
  observed.catch(() => undefined);
  return promise;
}
