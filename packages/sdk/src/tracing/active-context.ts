import {
  type Context,
  type ContextManager,
  context,
  ROOT_CONTEXT,
  type Span,
  trace,
} from "@opentelemetry/api";
import { isTracingSuppressed } from "@opentelemetry/core";
import { ContextSlot, type Held } from "../context/context-slot.ts";
import { agateSpanOf } from "./agate-span.ts";
import type { Faults } from "./faults.ts";

/** Where a context keeps the innermost span of Agate's, below which other libraries' spans may be. */
const AGATE_SPAN = Symbol("agate span");

/** The active context of our own context manager. */
const managed = new ContextSlot<Context>("opentelemetry context");

/** A context that OpenTelemetry does not know to be active: its manager is not ours to enter. */
interface Entered {
  /** OpenTelemetry's active context at that moment. */
  readonly base: Context;
  readonly context: Context;
}
const entered = new ContextSlot<Entered>("entered span");

/** OpenTelemetry's context manager for processes that have none. */
const agateContextManager: ContextManager = {
  active: () => managed.get() ?? ROOT_CONTEXT,
  with: (active, fn, thisArg, ...args) =>
    managed.run(active, () => fn.apply(thisArg as never, args)),
  bind<T>(active: Context, target: T): T {
    if (typeof target !== "function") return target;
    const bound = function (this: unknown, ...args: unknown[]): unknown {
      return managed.run(active, () => Reflect.apply(target, this, args));
    };
    Object.defineProperty(bound, "length", { configurable: true, value: target.length });
    return bound as T;
  },
  attach: (active) => ({ dispose: managed.enter(active) }),
  enable() {
    return this;
  },
  disable() {
    return this;
  },
};

/** Registers a context manager if the process has none: without one no span would have a parent. */
export function ensureContextManager(): void {
  const key = Symbol("agate probe");
  const probe = ROOT_CONTEXT.setValue(key, true);
  // The API does not tell, and registering a second one is an error. By value: managers may run the
  // function in a context that they have added to.
  if (context.with(probe, () => context.active()).getValue(key) === true) return;
  context.setGlobalContextManager(agateContextManager);
}

/** The context that a span started now belongs in. */
export function activeContext(): Context {
  const active = otelContext();
  const inner = entered.get();
  // If OpenTelemetry's context is another by now, something was started inside the entered span.
  return inner?.base === active ? inner.context : active;
}

/** A context manager that fails must not fail what is traced. */
function otelContext(): Context {
  try {
    return context.active();
  } catch {
    return ROOT_CONTEXT;
  }
}

/** The context inside a span, Agate's or not. */
export function contextInside(outer: Context, span: Span): Context {
  return agateSpanOf(span) === undefined ? trace.setSpan(outer, span) : new InsideSpan(outer, span);
}

/** The key under which OpenTelemetry keeps the active span, which it does not tell. */
const OTEL_SPAN = keyOfSpan();

function keyOfSpan(): symbol | undefined {
  let asked: symbol | undefined;
  trace.getSpan({
    ...ROOT_CONTEXT,
    getValue(key) {
      asked = key;
      return undefined;
    },
  });
  return asked;
}

/**
 * The context inside a span of Agate's. Each call of a route makes one: OpenTelemetry's own would be two, each
 * with a copy of a map and three functions.
 */
class InsideSpan implements Context {
  readonly #outer: Context;
  readonly #span: Span;

  constructor(outer: Context, span: Span) {
    // Without the span around it, which this one hides: a chain of them would keep every span of a long run.
    this.#outer = outer instanceof InsideSpan ? outer.#outer : outer;
    this.#span = span;
  }

  getValue(key: symbol): unknown {
    return key === OTEL_SPAN || key === AGATE_SPAN ? this.#span : this.#outer.getValue(key);
  }

  setValue(key: symbol, value: unknown): Context {
    return this.#copy().setValue(key, value);
  }

  deleteValue(key: symbol): Context {
    return this.#copy().deleteValue(key);
  }

  #copy(): Context {
    return trace.setSpan(this.#outer, this.#span).setValue(AGATE_SPAN, this.#span);
  }
}

/** The innermost span of Agate's in a context, also one that other libraries' spans lie below. */
export function agateSpanIn(outer: Context): Span | undefined {
  const inner = entered.get();
  const seen = inner?.base === outer ? inner.context : outer;
  return seen.getValue(AGATE_SPAN) as Span | undefined;
}

/** A context as the active one of our own context manager. */
export function holdingContext(inside: Context): Held {
  return managed.holding(inside);
}

/**
 * Runs a function inside a context. If the process has no context manager that works for us (two
 * versions of OpenTelemetry's API may keep each other out), Agate's own spans nest all the same.
 */
export function runInside<R>(inside: Context, run: () => R): R {
  return context.with(inside, () => {
    const base = context.active();
    const isInside = trace.getSpan(base) === trace.getSpan(inside);
    return isInside ? run() : entered.run({ base, context: inside }, run);
  });
}

/**
 * Makes a context active until the returned function is called. With another library's
 * context manager only Agate's spans see it: OpenTelemetry cannot leave a context again.
 */
export function enterContext(inside: Context): () => void {
  const base = context.active();
  const leave = managed.enter(inside);
  if (context.active() === inside) return leave;
  leave();
  return entered.enter({ base, context: inside });
}

/**
 * Runs a function inside a context. Errors of the function are rethrown; if the context manager
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

/**
 * Whether a request arrives in a context that is not its own. Deno hands requests to `Deno.serve` in the
 * context of work that ran before: of the SDK's own requests, which are not traced, or of a call that has
 * ended. Without this check such a request would have no trace, or be part of another call's.
 */
export function isContextLeaked(): boolean {
  if (!("Deno" in globalThis)) return false;
  const active = activeContext();
  return isTracingSuppressed(active) || agateSpanIn(active)?.isRecording() === false;
}
