import type { ScoreSourceKind } from "@agate/protocol";
import {
  isRecord,
  SCORE_SOURCE_KINDS,
  SCORE_STATUSES,
  SLUG_SCHEMA,
  shownValue,
  slugFault,
} from "@agate/protocol";
import { Redactor } from "@agate/spans/redaction";
import * as z from "zod/mini";
import { type Caller, may } from "../../access/caller.ts";
import { MOST_SCORES_PER_TRACE, type RejectedScores } from "../../stores/score-store.ts";
import type { SpanStore } from "../../stores/span-store.ts";
import { type NewScore, toStoredScore } from "../../stores/to-stored-score.ts";
import { parseSpanId, parseTraceId } from "../../traces/span-ids.ts";
import type { Problem } from "../answer.ts";
import { opaqueAnswer, problemsAnswer } from "../answer.ts";
import { DATE_TIME_PATTERN, readDateTime } from "../inputs/date-time.ts";
import { matching, oneOf, orNull, parsed, text, wholeNumber } from "../inputs/input-kinds.ts";
import type { Route } from "../route.ts";
import { route, success } from "../route.ts";
import { ID_PATTERN, readId } from "./traces.ts";

const RETRY_AFTER_SECONDS = "5";
/** What may be sent at a time. */
export const MOST_SCORES = 500;
/** The longest texts of a score, in characters, and its largest metadata as JSON. */
const LONGEST = { label: 100, explanation: 4_000, error: 1_000, name: 200, metadata: 4_096 };
const MOST_BODY_BYTES = 8 * 1024 ** 2;
/** Of a key that only may score: it is in the hands of anyone who visits a page. */
const MOST_VISITOR_BYTES = 64 * 1024;

const shortText = (description: string) => orNull(text({ description }, LONGEST.name));

const newScore = () =>
  z.strictObject({
    trace_id: parsed({ description: "The trace that is judged." }, ID_PATTERN, (id) =>
      readId(id, parseTraceId),
    ),
    span_id: orNull(
      parsed(
        { description: "The span that is judged; without it, the top span of the trace." },
        ID_PATTERN,
        (id) => readId(id, parseSpanId),
      ),
    ),
    name: parsed({ description: "What is judged.", example: "helpful" }, SLUG_SCHEMA, (name) => {
      const fault = slugFault(name);
      if (fault === undefined) return { kind: "value", value: name };
      return { kind: "problem", type: "body_invalid", msg: `${shownValue(name)}: ${fault}` };
    }),
    value: orNull(
      matching(
        {
          description:
            "A number, or true and false for 1 and 0 with the labels yes and no. Left out where the status is not `ok`, or the judgement is only a label.",
          example: 0.8,
        },
        { type: ["number", "boolean"] },
        "a number, true or false",
        (value): value is number | boolean => typeof value === "boolean" || Number.isFinite(value),
      ),
    ),
    label: orNull(text({ description: "A word for the value." }, LONGEST.label)),
    explanation: orNull(text({ description: "Why." }, LONGEST.explanation)),
    status: orNull(
      oneOf(
        {
          description:
            "`ok` by default. `skipped`: the judgement does not apply. `failed`: it could not be made. Neither counts as 0.",
        },
        SCORE_STATUSES,
      ),
    ),
    error: orNull(text({ description: "Why it failed or was skipped." }, LONGEST.error)),
    source: orNull(
      z.strictObject({
        kind: orNull(
          oneOf(
            {
              description:
                "Who has judged; `code` by default. A key that has the scope `score` only is always `end_user`.",
            },
            SCORE_SOURCE_KINDS,
          ),
        ),
        evaluator: shortText("The name of the scorer."),
        version: shortText("The version of the scorer."),
        person: shortText("The person who has judged."),
      }),
    ),
    created_at: orNull(
      parsed(
        { description: "When it was judged; now by default." },
        DATE_TIME_PATTERN,
        readDateTime,
      ),
    ),
    run: shortText("The evaluation run that it belongs to."),
    case: shortText("The case of the run."),
    column: shortText("The column of the run."),
    trial: orNull(wholeNumber({ description: "The trial of the case." }, 0)),
    metadata: orNull(
      matching(
        { description: "Anything else that is worth keeping." },
        { type: "object" },
        `an object of at most ${LONGEST.metadata} characters as JSON`,
        (value): value is Record<string, unknown> =>
          isRecord(value) && JSON.stringify(value).length <= LONGEST.metadata,
      ),
    ),
  });

type ScoreInput = z.output<ReturnType<typeof newScore>>;

const newScores = () =>
  z.strictObject({
    scores: z.array(newScore()).check(z.minLength(1), z.maxLength(MOST_SCORES)),
  });

export interface ScoreRouteOptions {
  readonly store: SpanStore;
  /** The redaction rules that a project has now, as JSON; null where it has none. */
  readonly redactionOf: (project: string) => string | null;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onUnavailable: (reason: string) => void;
}

/** `POST /observability/scores/` */
export function putScoresRoute(options: ScoreRouteOptions): Route {
  const { store, redactionOf, now, onUnavailable } = options;
  return route({
    method: "POST",
    path: "/observability/scores/",
    access: ["score", "evaluate"],
    id: "putScores",
    tag: "observability",
    summary: "Judge spans",
    description:
      "Stores scores of spans, which may be sent before the spans themselves. A score that is sent again replaces the one before: the same span, name, source, run, case, column and trial have the same id.",
    body: newScores,
    maxBodyBytes: mostScoreBytes,
    success: success("PutScores", "The ids of the scores, in the order in which they were sent."),
    errors: ["score_limit", "store_unavailable"],
    answer: async ({ caller, body }, reply) => {
      const problems = body.scores.flatMap((score, index) => [
        ...judgementProblems(score, index),
        ...(isVisitor(caller) ? visitorProblems(score, index) : []),
      ]);
      const [first, ...others] = problems;
      if (first !== undefined) return problemsAnswer([first, ...others]);
      const { project } = caller;
      const rules = redactionOf(project);
      const redactor = rules === null ? null : new Redactor(JSON.parse(rules));
      const receivedAt = now() * 1000;
      const scores = body.scores.map((score) =>
        toStoredScore(scoreOf(score, caller, receivedAt), {
          project,
          receivedAt,
          redact: (value) => redactor?.text(value) ?? value,
        }),
      );
      const outcome = await store.putScores({ project, scores });
      switch (outcome.kind) {
        case "unavailable":
          onUnavailable(outcome.reason);
          return opaqueAnswer("store_unavailable", { "retry-after": RETRY_AFTER_SECONDS });
        case "partly-committed":
          return problemsAnswer(limitProblems(scores, outcome.rejected));
        case "committed":
          return reply({ ids: scores.map(({ id }) => id) });
      }
    },
  });
}

/** How large a body a caller may send. */
export function mostScoreBytes(caller: Caller): number {
  return isVisitor(caller) ? MOST_VISITOR_BYTES : MOST_BODY_BYTES;
}

/** Whether a caller may judge as an end user only. */
export function isVisitor(caller: Caller): boolean {
  return !may(caller, "evaluate");
}

function scoreOf(score: ScoreInput, caller: Caller, now: number): NewScore {
  const { value, label, source } = score;
  const kind: ScoreSourceKind = isVisitor(caller) ? "end_user" : (source?.kind ?? "code");
  const isYes = typeof value === "boolean" ? value : null;
  return {
    ...score,
    value: isYes === null ? (value as number | null) : Number(isYes),
    label: label ?? (isYes === null ? null : isYes ? "yes" : "no"),
    status: score.status ?? "ok",
    source: {
      kind,
      evaluator: source?.evaluator ?? null,
      version: source?.version ?? null,
      person: source?.person ?? null,
    },
    createdAt: score.created_at ?? now,
  };
}

function problem(index: number, path: readonly string[], msg: string): Problem {
  return { type: "body_invalid", loc: ["body", "scores", index, ...path], msg };
}

/** Value, label and status depend on each other. */
function judgementProblems({ value, label, status }: ScoreInput, index: number): Problem[] {
  const isOk = (status ?? "ok") === "ok";
  if (isOk && value === null && label === null) {
    const msg = "Must be given, or a label, or a status other than ok.";
    return [problem(index, ["value"], msg)];
  }
  if (isOk || value === null) return [];
  return [problem(index, ["value"], `Must be left out where the status is ${status}.`)];
}

/** What a visitor of a page may not say. */
function visitorProblems(score: ScoreInput, index: number): Problem[] {
  const { kind, evaluator, version } = score.source ?? {};
  const said: [boolean, ...path: string[]][] = [
    [(kind ?? "end_user") !== "end_user", "source", "kind"],
    [(evaluator ?? null) !== null, "source", "evaluator"],
    [(version ?? null) !== null, "source", "version"],
    ...(["run", "case", "column", "trial"] as const).map((name): [boolean, string] => [
      score[name] !== null,
      name,
    ]),
  ];
  return said
    .filter(([isSaid]) => isSaid)
    .map(([, ...path]) => problem(index, path, "Only a key with the scope evaluate may set it."));
}

function limitProblems(
  scores: readonly { readonly id: string; readonly traceId: string }[],
  rejected: RejectedScores,
): [Problem, ...Problem[]] {
  const problems = scores.flatMap(({ id, traceId }, index): Problem[] => {
    if (!rejected.has(id)) return [];
    const msg = `Trace ${traceId} has ${MOST_SCORES_PER_TRACE} scores, the most in a trace. The others were stored.`;
    return [{ type: "score_limit", loc: ["body", "scores", index], msg }];
  });
  return problems as [Problem, ...Problem[]];
}
