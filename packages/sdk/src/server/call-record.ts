import { AGATE_ATTRIBUTES } from "@agate/protocol";
import type { Attributes } from "@opentelemetry/api";
import { type Span, SpanStatusCode } from "@opentelemetry/api";
import type { Identity } from "../context/call-state.ts";
import type { RouteDefinition } from "../routes/route-table.ts";
import { ChunkList } from "../tracing/chunk-list.ts";
import { contentByRules, outputLimitOf, recordByRules } from "../tracing/content-rules.ts";
import { messageOf } from "../tracing/describe-thrown.ts";
import { addIdentity } from "../tracing/identity-attributes.ts";
import { plainJson } from "../tracing/plain-json.ts";
import type { Telemetry, TraceCollection } from "../tracing/telemetry.ts";
import { isCancellation, markCancelled, recordFailure } from "../tracing/traced-call.ts";
import { type CallError, callError, failureOf, isFailure, withoutInternals } from "./call-error.ts";
import type { CallSignal } from "./call-signal.ts";
import { OutputError } from "./check-output.ts";
import type { EvaluatedCall } from "./incoming-call.ts";
import type { Preparation } from "./prepare-call.ts";
import type { Workflow } from "./workflow.ts";

/** A call that was answered with an error. */
export interface EndedCall {
  readonly error: CallError;
  /** The tree as JSON where the answer is to carry it. */
  readonly trace: null | Promise<string>;
}

/** What is recorded of one call: its span and, on the playground, the tree that its answer carries. */
export class CallRecord {
  readonly span: Span;
  readonly #workflow: Workflow;
  readonly #telemetry: Telemetry;
  readonly #route: RouteDefinition;
  readonly #collection: TraceCollection | null;
  readonly #evaluated: EvaluatedCall | undefined;
  #chunks: ChunkList | undefined;
  #ended: EndedCall | undefined;

  constructor(
    workflow: Workflow,
    route: RouteDefinition,
    span: Span,
    collection: TraceCollection | null,
    evaluated?: EvaluatedCall,
  ) {
    this.span = span;
    this.#workflow = workflow;
    this.#telemetry = workflow.telemetry;
    this.#route = route;
    this.#collection = collection;
    this.#evaluated = evaluated;
  }

  /** What a stream has given so far. */
  get chunks(): ChunkList {
    this.#chunks ??= new ChunkList(outputLimitOf(this.#route.rules, this.#telemetry));
    return this.#chunks;
  }

  /** Ends the span. Returns the tree as JSON where the answer is to carry it. */
  succeed(outputs: unknown, json?: string): null | Promise<string> {
    this.#recordOutputs(outputs, json);
    this.span.setStatus({ code: SpanStatusCode.OK });
    return this.#endSpan();
  }

  /** Ends the span of a call that was refused before its function ran. */
  refuse(error: CallError): EndedCall {
    const message = this.#withoutSecrets(error)
      .detail.map(({ msg }) => msg)
      .join(" ");
    this.span.setStatus({ code: SpanStatusCode.ERROR, message });
    // Without content there is no message: what it was a case of is told instead.
    if (!this.#telemetry.capturesContent) {
      const types = new Set(error.detail.map(({ type }) => type));
      this.span.setAttribute("error.type", [...types].join(" "));
    }
    return this.#endWith(error);
  }

  /**
   * Ends the span of a call whose client has gone: neither as success nor as failure.
   *
   * @param outputs What the function returned all the same.
   */
  cancel(outputs?: unknown): EndedCall {
    this.#recordOutputs(outputs);
    markCancelled(this.span);
    return this.#endWith(CLIENT_GONE);
  }

  /**
   * Ends the span of a call whose function threw, or that was aborted, with what a stream had given
   * by then. Only the first time counts: a stream that was aborted may throw as well.
   */
  async fail(thrown: unknown, signal: CallSignal): Promise<EndedCall> {
    if (!OutputError.isInstance(thrown)) return this.end(thrown, signal);
    // The outcome is known: an abort while the code is loaded does not change it.
    signal.settle();
    return this.end(await this.#shownError(thrown), signal);
  }

  /** The same at once, of what has no output in it. */
  end(thrown: unknown, signal: CallSignal): EndedCall {
    this.#ended ??= this.#endThrown(thrown, signal);
    return this.#ended;
  }

  /** Tells the app of an error that belongs to no answer. */
  report(thrown: unknown): void {
    this.#workflow.reportFailure(thrown, this.#route.path, this.span);
  }

  #endThrown(thrown: unknown, signal: CallSignal): EndedCall {
    this.#evaluated?.onThrown(thrown);
    const partial = this.#chunks?.isEmpty === false ? this.#chunks.value() : undefined;
    if (isCancellation(thrown, signal)) return this.cancel(partial);
    const error = failureOf(thrown, signal);
    this.#recordOutputs(partial);
    recordFailure(this.#telemetry, this.span, thrown);
    // An evaluation has the error in its results, of every case that fails.
    if (isFailure(error) && this.#evaluated === undefined) this.report(thrown);
    return this.refuse(error);
  }

  /** An error without the parts of the output that are not recorded: a schema may quote them. */
  async #shownError({ value, detail }: OutputError): Promise<OutputError> {
    const { rules, spanName } = this.#route;
    const { text: recorded } = contentByRules(rules, this.#telemetry, spanName, "outputs", value);
    const { hideValues } = await import("./hide-values.ts");
    return new OutputError(hideValues(detail, [{ value, recorded }]));
  }

  /**
   * The error as its answer tells it. A deployed endpoint tells its callers nothing of the inside of a
   * function that failed, unless the route or the app exposes errors.
   */
  answered(error: CallError): CallError {
    const isExposed = this.#route.exposeErrors ?? this.#workflow.exposeErrors;
    const isHidden = error.isInternal && this.#collection === null && !isExposed;
    return isHidden
      ? withoutInternals(error, this.span.spanContext().traceId)
      : this.#withoutSecrets(error);
  }

  /** Without secrets, and without a stack outside the playground. */
  #withoutSecrets(error: CallError): CallError {
    const { stack, detail, ...rest } = error;
    const { redact } = this.#telemetry;
    return {
      ...rest,
      detail: detail.map((each) => ({ ...each, msg: redact(textOf(each.msg)) })),
      stack: stack === undefined || this.#collection === null ? undefined : redact(stack),
    };
  }

  #recordOutputs(outputs: unknown, json?: string): void {
    recordByRules(this.#route.rules, this.#telemetry, this.span, "outputs", outputs, json);
  }

  #endWith(error: CallError): EndedCall {
    this.span.setAttribute("http.response.status_code", error.status);
    return { error, trace: this.#endSpan() };
  }

  #endSpan(): null | Promise<string> {
    this.span.end();
    if (this.#collection === null) return null;
    // A tree that cannot be written must not cost the call its answer.
    const tree = this.#collection.take().catch((error: unknown) => {
      this.#telemetry.fault(error);
      return "null";
    });
    if (this.#evaluated === undefined) return tree;
    this.#evaluated.onTree(tree);
    return null;
  }
}

const CLIENT_GONE = callError(
  "client_closed_request",
  [],
  "The client went away before the answer.",
);

// A schema or a configuration source of other code may break its type.
function textOf(msg: unknown): string {
  return typeof msg === "string" ? msg : messageOf(msg);
}

// A configuration may have a `toJSON` that throws; its fields are then written one by one.
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

function identityOf(preparation: Preparation): Identity | undefined {
  if (preparation.kind === "ready") return preparation.call.identity;
  return preparation.kind === "refused" ? preparation.identity : undefined;
}

/** What is known of a call before its function runs, as attributes of its span. */
export function preparationAttributes(
  telemetry: Telemetry,
  route: RouteDefinition,
  preparation: Preparation,
): Attributes {
  const identity = identityOf(preparation);
  const attributes = addIdentity({}, identity);
  const add = (field: "config" | "inputs", value: unknown, isPlain: boolean): void => {
    const isRead = telemetry.capturesContent;
    const json = isRead ? (isPlain ? jsonOf(value) : plainJson(value)) : undefined;
    const { rules, spanName } = route;
    const { text, isRedacted } = contentByRules(rules, telemetry, spanName, field, value, json);
    if (text !== null) attributes[AGATE_ATTRIBUTES[field]] = text;
    if (isRedacted) attributes[AGATE_ATTRIBUTES.redacted] = true;
  };
  // Without a schema, inputs are as `JSON.parse` made them.
  const isPlain = route.input === undefined;
  if (preparation.kind === "ready") {
    const { config, inputs, editedFrom, staleConfig } = preparation.call;
    if (editedFrom !== null) attributes[AGATE_ATTRIBUTES.editedFrom] = editedFrom;
    if (staleConfig) attributes[AGATE_ATTRIBUTES.staleConfig] = true;
    // A configuration has nothing but texts, numbers and booleans.
    add("config", config, true);
    add("inputs", inputs, isPlain);
  } else {
    if ("config" in preparation) add("config", preparation.config, true);
    if ("inputs" in preparation) add("inputs", preparation.inputs, true);
  }
  return attributes;
}
