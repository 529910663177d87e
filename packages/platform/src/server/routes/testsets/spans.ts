import type { ListedSpan, TestRow } from "@agate/protocol";
import { inputsId, readRows, spanCase } from "@agate/protocol/testsets";
import * as z from "zod/mini";
import { may } from "../../../access/caller.ts";
import type { RegistryOutcome, RegistryProblem } from "../../../registry/registry-outcome.ts";
import { done, refusalOf, refused } from "../../../registry/registry-outcome.ts";
import type { TestSets } from "../../../registry/testsets/test-sets.ts";
import type { SpanStore } from "../../../stores/span-store.ts";
import { TraceGoneError } from "../../../stores/span-store.ts";
import { readTree } from "../../../stores/trees/read-tree.ts";
import { parseSpanId, parseTraceId } from "../../../traces/span-ids.ts";
import { problemAnswer, problemsAnswer } from "../../answer.ts";
import { documented, flag, orNull, parsed } from "../../inputs/input-kinds.ts";
import type { Route } from "../../route.ts";
import { created, success } from "../../route.ts";
import { message, outcomeAnswer, registryRoute } from "../registry/registry-route.ts";
import { ID_PATTERN, readId } from "../traces.ts";
import { TEST_SET, testSetLocation, WRITES } from "./test-sets.ts";

/** Spans of a request. */
const MOST_SPANS = 100;
/** What is read for a request: spans that are not on top come with all that is below them. */
const MOST_READ_BYTES = 32 * 1024 * 1024;

const ADDED = created("AddedSpans", "The new revision, and how many rows it added.");
const UNCHANGED = success("AddedSpans", "All were skipped: there is no new revision.");

const spanInput = () =>
  z.strictObject({
    trace_id: parsed({ description: "Its trace." }, ID_PATTERN, (id) => readId(id, parseTraceId)),
    span_id: orNull(
      parsed({ description: "Without it, the top span of the trace." }, ID_PATTERN, (id) =>
        readId(id, parseSpanId),
      ),
    ),
    with_output: z.optional(flag({ description: "Whether its output becomes `expected`." })),
  });

const spansBody = () =>
  documented(
    z.strictObject({
      spans: z.array(spanInput()).check(z.minLength(1), z.maxLength(MOST_SPANS)),
      message: message(),
    }),
    {
      description: "The calls to add.",
      example: { spans: [{ trace_id: "5b8efff798038103d269b633813fc60c", with_output: true }] },
    },
  );

type SpanInput = z.output<ReturnType<typeof spanInput>>;

/** `POST /registry/testsets/{testset}/spans`: recorded calls become rows. */
export function addSpansRoute(testSets: TestSets, store: SpanStore, maxBodyBytes: number): Route {
  return registryRoute(maxBodyBytes, {
    method: "POST",
    path: `${TEST_SET}/spans`,
    tag: "testsets",
    access: WRITES,
    id: "addSpansToTestSet",
    summary: "Add recorded calls to a test set",
    description:
      "Appends a row with the inputs of each span, which must be the call of a route. Nothing is added if one of them was redacted, cut off or recorded without content. Spans with the inputs of a row that is there are skipped. The key needs the scope `read`, too.",
    body: spansBody,
    success: ADDED,
    otherwise: [UNCHANGED],
    errors: ["rows_invalid", "test_set_invalid", "query_queue_full", "trace_damaged"],
    answer: async ({ caller, params: { testset }, body }, reply) => {
      // Rows can be read with `evaluate` alone, traces cannot.
      if (!may(caller, "read")) {
        const msg = "Adding spans needs a key with the scopes evaluate and read.";
        return problemAnswer({ type: "scope_missing", loc: ["header", "authorization"], msg });
      }
      const found = await testSets.get(caller.project, testset);
      if (found.kind === "refused") return problemsAnswer(found.problems);
      const spans = await readSpans(store, caller.project, body.spans);
      const rows = rowsOf(spans, body.spans);
      if (rows.kind === "refused") return problemsAnswer(rows.problems);
      const outcome = await testSets.commit(caller.project, testset, {
        change: { kind: "append", rows: rows.value },
        baseRevision: null,
        by: caller.name,
        message: body.message ?? "",
      });
      return outcomeAnswer(outcome, ({ isNew, commit: { test_set, added } }) => {
        const answer = { test_set, added, skipped: body.spans.length - added };
        if (!isNew) return { ...reply(answer), status: UNCHANGED.status };
        const { slug, revision } = test_set;
        return reply(answer, testSetLocation(slug, "revisions", String(revision)));
      });
    },
  });
}

/** The rows that spans become, in their order; refused if one cannot. */
function rowsOf(
  spans: readonly (ListedSpan | string)[],
  inputs: readonly SpanInput[],
): RegistryOutcome<readonly TestRow[]> {
  const problems: RegistryProblem[] = [];
  const refuse = (index: number, reason: string) => {
    const { trace_id, span_id } = inputs[index]!;
    const name = span_id === null ? `Trace ${trace_id}` : `Span ${span_id}`;
    const msg = `${name} cannot be added. ${reason}`;
    problems.push({ type: "rows_invalid", loc: ["body", "spans", index], msg });
  };
  const raw = spans.map((span, index) => {
    if (typeof span === "string") return refuse(index, span);
    const read = spanCase(span);
    if (read.kind === "refused") return refuse(index, read.reason);
    const withOutput = inputs[index]!.with_output === true;
    if (withOutput && read.outputProblem !== null) return refuse(index, read.outputProblem);
    const source = { trace_id: span.trace_id, span_id: span.id };
    return { inputs: read.inputs, ...(withOutput && { expected: read.output }), source };
  });
  const refusal = refusalOf(problems);
  if (refusal !== undefined) return refusal;
  const read = readRows(raw.map((value) => ({ value, line: null })));
  // The same inputs are the same row, also within a request.
  if (read.kind === "rows") {
    return done(read.rows.map((row) => ({ ...row, id: inputsId(row.inputs) })));
  }
  for (const { index, msg } of read.faults) refuse(index, msg);
  return refused(problems[0]!, ...problems.slice(1));
}

/** Each span, or why there is none. */
async function readSpans(
  store: SpanStore,
  project: string,
  inputs: readonly SpanInput[],
): Promise<(ListedSpan | string)[]> {
  const traceIds = [...new Set(inputs.map(({ trace_id }) => trace_id))];
  const { tops, unread } = await store.readTops(project, traceIds, { maxBytes: MOST_READ_BYTES });
  const unreadIds = new Set(traceIds.slice(traceIds.length - unread));
  const topOf = new Map<string, ListedSpan>();
  let room = MOST_READ_BYTES;
  for (const text of tops) {
    room -= text.length;
    const top = JSON.parse(text) as ListedSpan;
    topOf.set(top.trace_id, top);
  }
  const spans: (ListedSpan | string)[] = [];
  for (const { trace_id: traceId, span_id: spanId } of inputs) {
    const top = topOf.get(traceId);
    if (unreadIds.has(traceId)) spans.push(TOO_LARGE);
    else if (top === undefined) spans.push("Trace not found.");
    else if (spanId === null || top.id === spanId) spans.push(top);
    else {
      const json = await readSubtree(store, project, spanId, room);
      if (typeof json === "string") spans.push(json);
      else {
        room -= json.length;
        const span = JSON.parse(json.toString()) as ListedSpan;
        spans.push(span.trace_id === traceId ? span : "It is a span of another trace.");
      }
    }
  }
  return spans;
}

const MISSING = "Span not found.";
const TOO_LARGE = "The spans are too large to be read together: add fewer at a time.";

/** A span with all that is below it as JSON, or why it cannot be read. */
async function readSubtree(
  store: SpanStore,
  project: string,
  spanId: string,
  room: number,
): Promise<Buffer | string> {
  const tree = await readTree(store, project, { kind: "span", spanId });
  if (tree.kind === "missing") return MISSING;
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of tree.kind === "whole" ? [tree.json] : tree.chunks) {
      bytes += piece.length;
      if (bytes > room) return TOO_LARGE;
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof TraceGoneError) return MISSING;
    throw error;
  }
  return Buffer.concat(pieces);
}
