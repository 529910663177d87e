import { captureContext } from "../context/context-slot.ts";
import { ChunkList } from "./chunk-list.ts";
import { endFailed, endOk, type TracedCall } from "./traced-call.ts";

type AnyGenerator =
  | Generator<unknown, unknown, unknown>
  | AsyncGenerator<unknown, unknown, unknown>;
type Step = IteratorResult<unknown, unknown>;

/** True of what a generator function returns, async or not. */
export function isGenerator(value: unknown): value is AnyGenerator {
  if (typeof value !== "object" || value === null) return false;
  if (!(Symbol.iterator in value || Symbol.asyncIterator in value)) return false;
  const { next, return: end, throw: fail } = value as Partial<AnyGenerator>;
  return [next, end, fail].every((method) => typeof method === "function");
}

/**
 * Traces a generator with a span that lasts until it ends, is left or throws. Its body runs in the
 * context that it was made in, whoever asks for the next value.
 *
 * @param begin Starts the span, when the first value is asked for.
 */
export function tracedGenerator<G extends AnyGenerator>(generator: G, begin: () => TracedCall): G {
  const here = captureContext();
  const chunks = new ChunkList();
  let call: TracedCall | undefined;
  let isOver = false;

  const settle = (step: Step): Step => {
    if (step.done) {
      if (!isOver && call !== undefined) endOk(call, chunks.value());
      isOver = true;
    } else if (!isOver) chunks.add(step.value);
    return step;
  };
  const fail = (thrown: unknown): never => {
    if (!isOver && call !== undefined) endFailed(call, thrown);
    isOver = true;
    throw thrown;
  };
  const traced = (resume: () => Step | Promise<Step>): Step | Promise<Step> => {
    if (isOver) return resume();
    try {
      call ??= here(begin);
      const { telemetry, span } = call;
      const step = here(() => telemetry.withSpan(span, resume));
      return step instanceof Promise ? step.then(settle, fail) : settle(step);
    } catch (thrown) {
      return fail(thrown);
    }
  };
  // A generator that is left before it began has done nothing.
  const leaving = (resume: () => Step | Promise<Step>): Step | Promise<Step> =>
    call === undefined ? resume() : traced(resume);

  return Object.create(Object.getPrototypeOf(generator), {
    next: method((...sent: [] | [unknown]) => traced(() => generator.next(...sent))),
    return: method((value: unknown) => leaving(() => generator.return(value))),
    throw: method((thrown: unknown) => leaving(() => generator.throw(thrown))),
  });
}

function method(value: (...args: never[]) => unknown): PropertyDescriptor {
  return { value, configurable: true, writable: true };
}
