import { shownValue } from "@agate/protocol";
import * as z from "zod/mini";
import { freeMemory } from "../../stores/byte-window.ts";
import type { SpanStore, TreeFocus } from "../../stores/span-store.ts";
import type { PackedTreeAnswer } from "../../stores/trees/read-tree.ts";
import { readPackedTree } from "../../stores/trees/read-tree.ts";
import { parseSpanId, parseTraceId } from "../../traces/span-ids.ts";
import type { Answer } from "../answer.ts";
import { JSON_TYPE, jsonAnswer, opaqueAnswer, problemAnswer } from "../answer.ts";
import { choice, type Parsed, parsed } from "../inputs/input-kinds.ts";
import type { Route } from "../route.ts";
import { noContent, route, success } from "../route.ts";

const RETRY_AFTER_SECONDS = "5";
export const ID_PATTERN = { pattern: "^[A-Za-z0-9_-]{1,128}$" };

const traceParams = () =>
  z.object({
    trace_id: parsed(
      {
        description: "32 hex digits, in either case, or the same as a dashed UUID.",
        example: "5b8efff798038103d269b633813fc60c",
      },
      ID_PATTERN,
      (text) => readId(text, parseTraceId),
    ),
  });

const spanParams = () =>
  z.object({
    span_id: parsed(
      { description: "16 hex digits, in either case.", example: "eee19b7ec3c1b174" },
      ID_PATTERN,
      (text) => readId(text, parseSpanId),
    ),
  });

/** Reads an id that a request names. */
export function readId(text: string, parse: (text: string) => string | undefined): Parsed<string> {
  const value = parse(text);
  if (value !== undefined) return { kind: "value", value };
  const msg = `An id is 1 to 128 characters from A-Z, a-z, 0-9, _ and -, not ${shownValue(text)}.`;
  return { kind: "problem", type: "id_invalid", msg };
}

export function readTraceRoute(store: SpanStore): Route {
  return route({
    method: "GET",
    path: "/observability/traces/{trace_id}/",
    access: "read",
    id: "getTrace",
    tag: "observability",
    summary: "Get a trace",
    description:
      "The top span of the trace with all others nested below it: children by start time, then id. Spans whose parent is not there hang under the top. A large trace is streamed.",
    params: traceParams,
    success: success("SpanRecord", "The trace."),
    errors: ["trace_not_found", "id_invalid", "query_queue_full", "trace_damaged"],
    answer: ({ caller, params, gone }) =>
      answerTree(store, caller.project, { kind: "trace", traceId: params.trace_id }, gone),
  });
}

export function readSpanRoute(store: SpanStore): Route {
  return route({
    method: "GET",
    path: "/observability/spans/{span_id}/",
    access: "read",
    id: "getSpan",
    tag: "observability",
    summary: "Get a span",
    description: "The span with everything below it.",
    params: spanParams,
    query: () =>
      z.object({
        type: z.optional(
          choice({ description: "`generation` is the only value so far, and the default." }, [
            "generation",
          ]),
        ),
      }),
    // Stricter than a filter: `type=` names a type that does not exist.
    checksEmpty: true,
    success: success("SpanRecord", "The span."),
    errors: ["span_not_found", "id_invalid", "value_not_allowed", "query_queue_full"],
    answer: ({ caller, params, gone }) =>
      answerTree(store, caller.project, { kind: "span", spanId: params.span_id }, gone),
  });
}

export function deleteTraceRoute(store: SpanStore, onUnavailable: (reason: string) => void): Route {
  return route({
    method: "DELETE",
    path: "/observability/traces/{trace_id}/",
    access: "admin",
    id: "deleteTrace",
    tag: "observability",
    summary: "Delete a trace",
    description:
      "Deletes every span of the trace for good. A span of it that arrives later begins a new trace with the same id.",
    params: traceParams,
    success: noContent("The trace is gone."),
    errors: ["trace_not_found", "id_invalid", "store_unavailable"],
    answer: async ({ caller, params: { trace_id: traceId } }, reply) => {
      const outcome = await store.deleteTrace(caller.project, traceId);
      switch (outcome.kind) {
        case "deleted":
          return reply();
        case "missing":
          return notFound({ kind: "trace", traceId });
        case "unavailable":
          onUnavailable(outcome.reason);
          return opaqueAnswer("store_unavailable", { "retry-after": RETRY_AFTER_SECONDS });
      }
    },
  });
}

/** A trace or a span with everything below it, or 404; without a promise where the store has it. */
function answerTree(
  store: SpanStore,
  project: string,
  focus: TreeFocus,
  gone: () => AbortSignal,
): Answer | Promise<Answer> {
  const tree = readPackedTree(store, project, focus, gone);
  return tree instanceof Promise
    ? tree.then((read) => treeAnswer(read, focus))
    : treeAnswer(tree, focus);
}

function treeAnswer(tree: PackedTreeAnswer, focus: TreeFocus): Answer {
  switch (tree.kind) {
    case "whole":
      // Left to the collector, tens of kilobytes a read keep it busy on the cores that the next reads need.
      return { ...jsonAnswer(tree.json), onSent: () => freeMemory(tree.json) };
    case "frame":
      return {
        ...jsonAnswer(tree.zstd),
        coding: "zstd",
        onSent: () => freeMemory(tree.zstd),
      };
    case "chunks":
      return { kind: "stream", status: 200, contentType: JSON_TYPE, open: () => tree.chunks };
    case "missing":
      return notFound(focus);
  }
}

function notFound(focus: TreeFocus): Answer {
  return focus.kind === "trace"
    ? problemAnswer({
        type: "trace_not_found",
        loc: ["path", "trace_id"],
        msg: `There is no trace ${focus.traceId}.`,
      })
    : problemAnswer({
        type: "span_not_found",
        loc: ["path", "span_id"],
        msg: `There is no span ${focus.spanId}.`,
      });
}
