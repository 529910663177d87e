import { isRecord, type SpanRecord } from "@agate/protocol";
import { type AskedCall, modelToolCalls } from "./model-tool-calls.ts";

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
  const models = spans.filter(({ span }) => span.spankind === "LLM");
  return uniqueCalls(models.flatMap(({ span }) => modelToolCalls(span)));
}

interface PlacedSpan {
  readonly span: SpanRecord;
  /** The name of the tool that it runs in. */
  readonly inTool: string | undefined;
}

/** All spans of a tree, parents first, in the order of their start. Takes no recursion. */
function flattened(top: SpanRecord): PlacedSpan[] {
  const leftOut = top.metadata.attributes["ag.trace.left_out_spans"];
  if (leftOut !== undefined) throw incomplete(`${String(leftOut)} of its spans were left out`);
  const spans: PlacedSpan[] = [];
  const stack: PlacedSpan[] = [{ span: top, inTool: undefined }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { span } = next;
    if (span.metadata.end_time === null) throw incomplete(`the span "${span.name}" has not ended`);
    spans.push(next);
    const inTool = span.spankind === "TOOL" ? toolName(span) : next.inTool;
    for (const child of (span.children ?? []).toReversed()) {
      // A span whose parent is missing hangs below the top span.
      if (child.parent_span_id !== null && child.parent_span_id !== span.id) {
        throw incomplete(`the parent of the span "${child.name}" is missing`);
      }
      stack.push({ span: child, inTool });
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

/** Nested model spans repeat a call with its id. */
function uniqueCalls(calls: readonly AskedCall[]): ToolCall[] {
  const seen = new Set<string>();
  return calls.flatMap(({ id, ...call }) => {
    if (id !== undefined) {
      if (seen.has(id)) return [];
      seen.add(id);
    }
    return [{ ...call, result: undefined }];
  });
}
