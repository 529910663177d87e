import type { SpanStore, TreeFocus } from "../../stores/span-store.ts";
import type { TreeAnswer } from "../../traces/read-tree.ts";
import { readTree } from "../../traces/read-tree.ts";
import type { Answer } from "../answer.ts";
import { JSON_TYPE, jsonAnswer } from "../answer.ts";
import { problemAnswer } from "../errors/error-answer.ts";

/**
 * Answers with a trace or a span and everything below it, or with 404.
 *
 * @param gone Makes a signal that fires when the client has gone.
 */
export function answerTree(
  store: SpanStore,
  project: string,
  focus: TreeFocus,
  gone?: () => AbortSignal,
): Answer | Promise<Answer> {
  const tree = readTree(store, project, focus, gone);
  return tree instanceof Promise
    ? tree.then((read) => toAnswer(read, focus))
    : toAnswer(tree, focus);
}

function toAnswer(tree: TreeAnswer, focus: TreeFocus): Answer {
  switch (tree.kind) {
    case "whole":
      return { ...jsonAnswer(tree.json), onSent: () => giveBack(tree.json) };
    case "chunks":
      return { kind: "stream", status: 200, contentType: JSON_TYPE, open: () => tree.chunks };
    case "missing":
      return notFound(focus);
  }
}

/**
 * Frees the bytes of an answer at once. Left to the collector, tens of kilobytes a read keep it
 * busy all the time, on the cores that the next reads need.
 */
function giveBack({ buffer }: Uint8Array<ArrayBuffer>): void {
  buffer.transfer(0);
}

/** 404 for an id that nothing recorded has. */
export function notFound(focus: TreeFocus): Answer {
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
