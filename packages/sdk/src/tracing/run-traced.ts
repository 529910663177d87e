import { captureContext } from "../context/context-slot.ts";
import { ChunkList } from "./chunk-list.ts";
import { messageOf } from "./describe-thrown.ts";
import { endCancelled, endOk, endThrown, type TracedCall } from "./traced-call.ts";

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
  // Returns the observed promise, so that the runtime still reports an unhandled rejection.
  if (promise.constructor === Promise) return observed as R;
  // Clients return promises with methods of their own, which `then` would lose.
  observed.catch(() => undefined);
  return promise;
}

type AnyGenerator =
  | Generator<unknown, unknown, unknown>
  | AsyncGenerator<unknown, unknown, unknown>;
type Step = IteratorResult<unknown, unknown>;

/** True of what a generator function returns, async or not. */
function isGenerator(value: unknown): value is AnyGenerator {
  if (typeof value !== "object" || value === null) return false;
  if (!(Symbol.iterator in value || Symbol.asyncIterator in value)) return false;
  const { next, return: end, throw: fail } = value as Partial<AnyGenerator>;
  return [next, end, fail].every((method) => typeof method === "function");
}

/**
 * Traces a generator with a span that lasts until it ends, is left or throws. Its body runs in the
 * context that it was made in, whichever code asks for the next value. Being left before its end is
 * no failure: a consumer may have enough, unless the whole call was cancelled.
 *
 * @param begin Starts the span, when the first value is asked for.
 */
export function tracedGenerator<G extends AnyGenerator>(generator: G, begin: () => TracedCall): G {
  const here = captureContext();
  let call: TracedCall | undefined;
  let chunks: ChunkList | undefined;
  let isLeft = false;
  let isOver = false;

  const settle = (step: Step): Step => {
    if (isOver || call === undefined) return step;
    if (typeof step !== "object" || step === null) return fail(notAResult(step));
    if (!step.done) chunks?.add(step.value);
    else {
      isOver = true;
      if (isLeft && call.cancellation?.isCancelled) endCancelled(call, chunks?.value());
      else endOk(call, chunks?.value());
    }
    return step;
  };
  const fail = (thrown: unknown): never => {
    if (!isOver && call !== undefined) {
      isOver = true;
      if (chunks?.isEmpty === false) call.returned(chunks.value());
      endThrown(call, thrown);
    }
    throw thrown;
  };
  const traced = (
    resume: () => Step | Promise<Step>,
    settled: (step: Step) => Step = settle,
  ): Step | Promise<Step> => {
    if (isOver) return resume();
    let step: Step | Promise<Step>;
    try {
      call ??= here(begin);
      chunks ??= new ChunkList(call.outputLimit);
      const { telemetry, span } = call;
      step = here(() => telemetry.withSpan(span, resume));
    } catch (thrown) {
      return fail(thrown);
    }
    return step instanceof Promise ? step.then(settled, fail) : settled(step);
  };
  // Not set before: a generator may finish while `return` is queued.
  const left = (step: Step): Step => {
    isLeft = true;
    return settle(step);
  };
  // A generator that is left before it began has done nothing.
  const leaving = (
    resume: () => Step | Promise<Step>,
    settled?: (step: Step) => Step,
  ): Step | Promise<Step> => (call === undefined ? resume() : traced(resume, settled));
  const leave = (value: unknown): Step | Promise<Step> => {
    if (!isOver) call?.onLeave?.();
    return leaving(() => generator.return(value), left);
  };

  return Object.create(Object.getPrototypeOf(generator), {
    next: method((...sent: [] | [unknown]) => traced(() => generator.next(...sent))),
    return: method(leave),
    throw: method((thrown: unknown) => leaving(() => generator.throw(thrown))),
  });
}

/** What `for await` throws for the same step. */
function notAResult(step: unknown): TypeError {
  return new TypeError(`Iterator result ${messageOf(step)} is not an object`);
}

function method(value: (...args: never[]) => unknown): PropertyDescriptor {
  return { value, configurable: true, writable: true };
}
