import type { SpanKind } from "@agate/protocol";
import type { Context } from "@opentelemetry/api";
import { cancellationSlot } from "../context/call-state.ts";
import { functionKind, inheritingFrom } from "../runtime/function-kind.ts";
import { type OptionNames, unknownOption } from "../runtime/unknown-option.ts";
import { activeContext } from "./active-context.ts";
import { type ContentRules, outputLimitOf, recordByRules } from "./content-rules.ts";
import { currentTelemetry } from "./default-telemetry.ts";
import type { ContentField } from "./redaction.ts";
import { runTraced, tracedGenerator } from "./run-traced.ts";
import type { TracedCall } from "./traced-call.ts";

export interface InstrumentOptions extends ContentRules {
  /** The span's name; the function's own by default. */
  readonly name?: string | undefined;
  /** `TASK` by default. */
  readonly kind?: SpanKind | undefined;
  /** What the function is configured with, to be recorded with each call. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
}

/** Wraps a function, or decorates a method, and keeps its type. */
export interface Instrument {
  <F extends (...args: never[]) => unknown>(fn: F): F;
  // biome-ignore lint/suspicious/noExplicitAny: TypeScript's own type of a method's context asks for it.
  <This, F extends (this: This, ...args: any) => any>(
    method: F,
    context: ClassMethodDecoratorContext<This, F>,
  ): F;
}

/**
 * Records each call of a function as a span, with what it was given and what it returned. Works on
 * functions, async functions, generators and async generators, and as a decorator of methods.
 *
 * A single argument is recorded as it is, several as a list. A generator's outputs are the list of
 * what it gave, or one text if all of it was text. An error is recorded and thrown on unchanged.
 *
 * @example
 * const retrieve = ag.instrument({ kind: "RETRIEVER" })(async (question: string) => search(question));
 *
 * class Agent {
 *   @ag.instrument({ kind: "TOOL", ignoreInputs: ["apiKey"] })
 *   async weather({ city, apiKey }: { city: string; apiKey: string }) { … }
 * }
 */
export function instrument(options: InstrumentOptions = {}): Instrument {
  const unknown = unknownOption("ag.instrument()", options, OPTIONS);
  if (unknown !== null) throw new TypeError(unknown);
  return (fn: (...args: never[]) => unknown, context?: ClassMethodDecoratorContext) => {
    if (typeof fn !== "function") {
      throw new Error(
        `ag.instrument(…) wraps a function, and was given ${typeof fn}: write ag.instrument({ name: "…" })(async (input) => …).`,
      );
    }
    if (context !== undefined && context.kind !== "method") {
      throw new Error(
        `ag.instrument decorates methods, and ${String(context.name)} is a ${context.kind}: write ${String(context.name)} = ag.instrument()((…) => …) instead.`,
      );
    }
    const name = options.name ?? nameOf(fn, context);
    return traced(fn, { ...options, name }) as never;
  };
}

const OPTIONS: OptionNames<InstrumentOptions> = {
  name: true,
  kind: true,
  config: true,
  ignoreInputs: true,
  ignoreOutputs: true,
  redact: true,
};

function nameOf(fn: { readonly name: string }, context?: ClassMethodDecoratorContext): string {
  return (context === undefined ? fn.name : String(context.name)) || "anonymous";
}

type AnyFunction = (...args: never[]) => unknown;
type NamedOptions = InstrumentOptions & { readonly name: string };

function traced(fn: AnyFunction, options: NamedOptions): AnyFunction {
  const kind = functionKind(fn);
  const isLazy = kind === "generator" || kind === "async-generator";
  const wrapper = function (this: unknown, ...args: never[]): unknown {
    const run = (): unknown => Reflect.apply(fn, this, args);
    if (!isLazy) return runTraced(begin(options, args), run);
    // Its body runs only when the first value is asked for, and so does its span.
    const parent = activeContext();
    return tracedGenerator(run() as Generator, () => begin(options, args, parent));
  };
  return Object.defineProperties(inheritingFrom(fn, wrapper), {
    name: { value: fn.name, configurable: true },
    length: { value: fn.length, configurable: true },
  });
}

function begin(options: NamedOptions, args: readonly unknown[], parent?: Context): TracedCall {
  const { name, kind = "TASK", config } = options;
  const telemetry = currentTelemetry();
  const span = telemetry.startSpan(name, { kind, parent });
  const record = (field: ContentField, value: unknown): void =>
    recordByRules(options, telemetry, span, field, value);
  record("config", config);
  record("inputs", args.length > 1 ? args : args[0]);
  return {
    telemetry,
    span,
    cancellation: cancellationSlot.get(),
    outputLimit: outputLimitOf(options, telemetry),
    returned: (value) => record("outputs", value),
  };
}
