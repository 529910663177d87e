import { Redactor } from "@agate/spans/redaction";
import type { Caller } from "../../../access/caller.ts";
import { MOST_SCORES_PER_TRACE } from "../../../stores/score-store.ts";
import { toStoredScore } from "../../../stores/to-stored-score.ts";
import { readTree } from "../../../stores/trees/read-tree.ts";
import { isVisitor, type ScoreRouteOptions } from "../scores.ts";
import type { ForeignScore } from "./foreign-score.ts";

/** What became of one score: its id, or why it was not stored. */
export type PutOutcome =
  | { readonly kind: "stored"; readonly id: string }
  | { readonly kind: "rejected"; readonly reason: string; readonly isMissing?: boolean };

/** Stores what can be stored. @returns The outcome of each, in their order; undefined if the store cannot write. */
export async function putForeignScores(
  given: readonly ForeignScore[],
  caller: Caller,
  options: ScoreRouteOptions,
): Promise<readonly PutOutcome[] | undefined> {
  const { store, redactionOf, now, onUnavailable } = options;
  const { project } = caller;
  const rules = redactionOf(project);
  const redactor = rules === null ? null : new Redactor(JSON.parse(rules));
  const receivedAt = now() * 1000;
  const redact = (text: string) => redactor?.text(text) ?? text;
  const traceOf = memoised((spanId: string) => traceOfSpan(store, project, spanId));
  const prepared = await Promise.all(
    given.map(async (each) => {
      if (each.kind === "rejected") return each;
      const { score, key } = each;
      const trace_id = score.trace_id ?? (await traceOf(score.span_id ?? ""));
      if (trace_id === undefined) {
        const reason = `There is no span ${JSON.stringify(score.span_id)} yet. Send it before its annotations.`;
        return { kind: "rejected", reason, isMissing: true } as const;
      }
      const source = isVisitor(caller)
        ? { ...score.source, kind: "end_user" as const }
        : score.source;
      const whole = { ...score, trace_id, source, createdAt: score.createdAt ?? receivedAt };
      return toStoredScore(whole, { project, receivedAt, redact, key });
    }),
  );
  const scores = prepared.filter((each) => "record" in each);
  const outcome =
    scores.length === 0
      ? ({ kind: "committed" } as const)
      : await store.putScores({ project, scores });
  if (outcome.kind === "unavailable") {
    onUnavailable(outcome.reason);
    return undefined;
  }
  const full = outcome.kind === "partly-committed" ? outcome.rejected : null;
  return prepared.map((each): PutOutcome => {
    if (!("record" in each)) return each;
    if (!full?.has(each.id)) return { kind: "stored", id: each.id };
    const reason = `Trace ${each.traceId} has ${MOST_SCORES_PER_TRACE} scores, the most in a trace.`;
    return { kind: "rejected", reason };
  });
}

const TRACE_ID = '"trace_id":"';

/** The trace of a span, from its record; undefined where the span is missing. */
async function traceOfSpan(
  store: ScoreRouteOptions["store"],
  project: string,
  spanId: string,
): Promise<string | undefined> {
  const read = await readTree(store, project, { kind: "span", spanId });
  if (read.kind === "missing") return undefined;
  if (read.kind === "whole") return traceIdIn(read.json);
  const first = await read.chunks.next();
  await read.chunks.return();
  return first.done ? undefined : traceIdIn(first.value);
}

/** Quotes inside of texts are escaped, so that the first place is the record's own. */
function traceIdIn(json: Uint8Array): string {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  const start = bytes.indexOf(TRACE_ID) + TRACE_ID.length;
  return bytes.toString("utf8", start, bytes.indexOf('"', start));
}

function memoised<Value>(read: (key: string) => Promise<Value>): (key: string) => Promise<Value> {
  const known = new Map<string, Promise<Value>>();
  return (key) => {
    const value = known.get(key) ?? read(key);
    known.set(key, value);
    return value;
  };
}
