import { type Span, SpanStatusCode } from "@opentelemetry/api";
import type { RouteDefinition } from "../routes/route-definition.ts";
import { recordByRules } from "../tracing/content-rules.ts";
import { messageOf } from "../tracing/message-of.ts";
import { recordFailure } from "../tracing/record-failure.ts";
import type { Telemetry, TraceCollection } from "../tracing/telemetry.ts";
import type { CallError } from "./call-error.ts";
import { isFailure } from "./failure-of.ts";
import type { Workflow } from "./workflow.ts";

/** What is recorded of one call: its span and, on the playground, the tree that its answer carries. */
export class CallRecord {
  readonly span: Span;
  readonly #workflow: Workflow;
  readonly #telemetry: Telemetry;
  readonly #route: RouteDefinition;
  readonly #collection: TraceCollection | null;
  #ended = false;

  constructor(
    workflow: Workflow,
    route: RouteDefinition,
    span: Span,
    collection: TraceCollection | null,
  ) {
    this.span = span;
    this.#workflow = workflow;
    this.#telemetry = workflow.telemetry;
    this.#route = route;
    this.#collection = collection;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Ends the span. Returns the tree as JSON where the answer is to carry it. */
  succeed(outputs: unknown, json?: string): null | Promise<string> {
    recordByRules(this.#route.rules, this.#telemetry, this.span, "outputs", outputs, json);
    this.span.setStatus({ code: SpanStatusCode.OK });
    return this.#end();
  }

  /** Likewise, of a call that was refused before its function ran. */
  refuse(error: CallError): null | Promise<string> {
    const message = this.shown(error)
      .detail.map(({ msg }) => msg)
      .join(" ");
    this.span.setStatus({ code: SpanStatusCode.ERROR, message });
    this.span.setAttribute("http.response.status_code", error.status);
    return this.#end();
  }

  /** Likewise. What the function threw is recorded as an exception. */
  fail(error: CallError, thrown: unknown): null | Promise<string> {
    recordFailure(this.#telemetry, this.span, thrown);
    if (isFailure(error)) this.#workflow.reportFailure(thrown, this.#route.path, this.span);
    return this.refuse(error);
  }

  /** The error as a client may see it: without secrets, and without a stack outside the playground. */
  shown(error: CallError): CallError {
    const { stack, detail, ...rest } = error;
    const { redact } = this.#telemetry;
    return {
      ...rest,
      detail: detail.map((each) => ({ ...each, msg: redact(textOf(each.msg)) })),
      stack: stack === undefined || this.#collection === null ? undefined : redact(stack),
    };
  }

  #end(): null | Promise<string> {
    this.#ended = true;
    this.span.end();
    if (this.#collection === null) return null;
    // A tree that cannot be written must not cost the call its answer.
    return this.#collection.take().catch((error: unknown) => {
      this.#telemetry.fault(error);
      return "null";
    });
  }
}

// A schema or a configuration source of other code may break its type.
function textOf(msg: unknown): string {
  return typeof msg === "string" ? msg : messageOf(msg);
}
