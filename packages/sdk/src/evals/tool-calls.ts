import { isRecord, type SpanKind, type SpanRecord } from "@agate/protocol";
import { hasAnswer, modelToolCalls } from "./model-tool-calls.ts";

/** A call of a tool, whichever library recorded it. */
export interface ToolCall {
  readonly name: string;
  /** As JSON; undefined where they were not recorded. */
  readonly arguments: unknown;
  /** What the tool returned; undefined where that was not recorded. */
  readonly result: unknown;
}

/**
 * The calls of tools in a trace, in the order of their start: its TOOL spans, or, where it has none,
 * the calls that its models asked for. Reads AI SDK, GenAI, OpenInference and OpenLLMetry spans.
 *
 * @throws Error where the trace is incomplete. An empty list would then look as if no tool was called.
 *
 * @example
 * const names = toolCalls(await trace()).map((call) => call.name);
 */
export function toolCalls(trace: SpanRecord): ToolCall[] {
  const spans = flattened(trace);
  const tools = spans.filter(({ span }) => span.spankind === "TOOL");
  if (tools.length > 0) return tools.filter(isOutermost).map(({ span }) => toolCall(span));
  const models = spans.filter(({ span, inModel }) => span.spankind === "LLM" && !inModel);
  return models.flatMap(({ span }) =>
    modelToolCalls(span).map((call) => ({ ...call, result: undefined })),
  );
}

interface PlacedSpan {
  readonly span: SpanRecord;
  /** The name of the tool that it runs in. */
  readonly inTool: string | undefined;
  /** Whether it is inside a model's span, which says itself what the model answered. */
  readonly inModel: boolean;
}

/** Spans in which a model is called anew, and not once more by another instrumentation. */
const CALLERS: ReadonlySet<SpanKind> = new Set(["TOOL", "AGENT", "WORKFLOW"]);

/** All spans of a tree, parents first, in the order of their start. Takes no recursion. */
function flattened(top: SpanRecord): PlacedSpan[] {
  const leftOut = top.metadata.attributes["ag.trace.left_out_spans"];
  if (leftOut !== undefined) throw incomplete(`${String(leftOut)} of its spans were left out`);
  const spans: PlacedSpan[] = [];
  const stack: PlacedSpan[] = [{ span: top, inTool: undefined, inModel: false }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { span } = next;
    if (span.metadata.end_time === null) throw incomplete(`the span "${span.name}" has not ended`);
    spans.push(next);
    const inTool = span.spankind === "TOOL" ? toolName(span) : next.inTool;
    const isModel = span.spankind === "LLM" && hasAnswer(span);
    const inModel = isModel || (next.inModel && !CALLERS.has(span.spankind));
    for (const child of (span.children ?? []).toReversed()) {
      // A span whose parent is missing hangs below the top span.
      if (child.parent_span_id !== null && child.parent_span_id !== span.id) {
        throw incomplete(`the parent of the span "${child.name}" is missing`);
      }
      stack.push({ span: child, inTool, inModel });
    }
  }
  return spans;
}

function incomplete(why: string): Error {
  return new Error(`The trace is incomplete: ${why}. Its tool calls are not known.`);
}

/** Two instrumentations record one call as two spans, one inside the other, with the same name. */
function isOutermost({ span, inTool }: PlacedSpan): boolean {
  return inTool !== toolName(span);
}

function toolCall(span: SpanRecord): ToolCall {
  const { inputs, outputs } = span.content;
  return {
    name: toolName(span),
    arguments: inputs === null ? undefined : withoutWrapper(inputs),
    result: outputs ?? undefined,
  };
}

/** AI SDK, GenAI, OpenInference, OpenLLMetry. */
const NAMES = ["ai.toolCall.name", "gen_ai.tool.name", "tool.name", "traceloop.entity.name"];

function toolName({ name, metadata: { attributes } }: SpanRecord): string {
  const found = NAMES.map((attribute) => attributes[attribute]).find(
    (value) => typeof value === "string" && value !== "",
  );
  return typeof found === "string" ? found : name;
}

/** OpenLLMetry has the arguments of a function as `{"args":[…],"kwargs":{…}}`. */
function withoutWrapper(inputs: unknown): unknown {
  if (!isRecord(inputs) || Object.keys(inputs).length !== 2) return inputs;
  const { args, kwargs } = inputs;
  if (!Array.isArray(args) || !isRecord(kwargs)) return inputs;
  if (args.length === 0) return kwargs;
  return args.length === 1 && Object.keys(kwargs).length === 0 ? args[0] : inputs;
}
