import { SPAN_KINDS, SPAN_STATUSES, TRAFFIC } from "@agate/protocol";
import * as z from "zod/mini";
import type { ScoreCondition, ScoreOperator } from "../../stores/score-store.ts";
import { SCORE_OPERATORS } from "../../stores/score-store.ts";
import type { SpanFilter } from "../../stores/span-query.ts";
import type { Problem } from "../answer.ts";
import type { ErrorType } from "../errors/error-types.ts";
import { DATE_TIME_PATTERN, readDateTime } from "./date-time.ts";
import {
  amount,
  choice,
  type InputDoc,
  integer,
  type Parsed,
  parsed,
  text,
} from "./input-kinds.ts";

/**
 * What is recorded may be of any length, and `group_by` shows it in full: a value is accepted as far as
 * a URL can hold it, which a server takes up to 64 KiB of, escaped.
 */
const LONGEST_VALUE = 16_000;

function recorded(doc: InputDoc) {
  return z.optional(text(doc, LONGEST_VALUE));
}

function time(doc: InputDoc) {
  return z.optional(parsed(doc, DATE_TIME_PATTERN, readDateTime));
}

const SCORE_CONDITION = new RegExp(
  `^([a-z0-9][a-z0-9._-]{0,63})(?:(${SCORE_OPERATORS.join("|")})(-?\\d+(?:\\.\\d+)?)|:(any|none|skipped|failed))$`,
);

/** The filters that lists, live events and analytics share: the one declaration of them. */
export function spanFilterInputs() {
  return {
    application: recorded({ description: "Name of the application." }),
    route: recorded({
      description: "Path of the route that was called, as declared; the entrypoint is `/`.",
      example: "/summarize",
    }),
    variant: recorded({ description: "Name of the variant, or its id where it has no name." }),
    revision: z.optional(
      integer({ description: "Revision of the variant." }, { least: 1, most: 2 ** 31 - 1 }),
    ),
    environment: recorded({ description: "Name of the environment.", example: "production" }),
    status: z.optional(choice({ description: "Status of the span." }, SPAN_STATUSES)),
    any_error: z.optional(
      choice(
        {
          description:
            "Whether any span of the trace failed, be it the top or one below it. A span is found by its trace.",
        },
        ["true", "false"],
      ),
    ),
    spankind: z.optional(choice({ description: "What the span did." }, SPAN_KINDS)),
    name: recorded({ description: "Name of the span, in full." }),
    user_id: recorded({ description: "Whom the work was for." }),
    session_id: recorded({ description: "Session or conversation." }),
    session: recorded({ description: "The same as `session_id`." }),
    traffic: z.optional(
      choice(
        {
          description:
            "What the traces are of: `live` leaves out evaluation runs, `evaluation` finds only these, `all` both. `live` by default; with `run`, the traces of the run.",
        },
        TRAFFIC,
      ),
    ),
    run: recorded({
      description:
        "Id of the evaluation run that a call or a judgement belongs to. A span is found by the run of its trace.",
    }),
    min_latency: z.optional(amount({ description: "Took at least this many milliseconds." })),
    min_cost: z.optional(
      amount({
        description: "Cost at least this many US dollars: a trace in total, a span alone.",
      }),
    ),
    score: z.optional(
      parsed(
        {
          description:
            "What a score is: `NAME<0.5` (or `<=`, `=`, `>=`, `>`), `NAME:any`, `NAME:none`, `NAME:skipped` or `NAME:failed`. A trace is found by the scores of any of its spans; a span by those that name it, not by those of its whole trace.",
          example: "helpful<0.5",
        },
        { pattern: SCORE_CONDITION.source },
        readScoreCondition,
      ),
    ),
    q: z.optional(
      text({
        description:
          'Words that all occur in name or content; `"in quotes"` as a phrase, `begin*` as a prefix. A phrase lies within one text, such as a message. A trace matches when each word or phrase occurs in any of its spans. New spans can be found after a few seconds.',
        example: 'refund "order 7"',
      }),
    ),
    ...timeRangeInputs(),
  };
}

function readScoreCondition(given: string): Parsed<ScoreCondition> {
  const [, name, operator, value, word] = SCORE_CONDITION.exec(given) ?? [];
  if (name === undefined) {
    const msg =
      "Must be a name with a condition: helpful<0.5, helpful>=1, helpful=0, helpful:any, helpful:none, helpful:skipped or helpful:failed.";
    return { kind: "problem", type: "value_not_allowed", msg };
  }
  const test =
    word === undefined
      ? { operator: operator as ScoreOperator, value: Number(value) }
      : (word as "any" | "none" | "skipped" | "failed");
  return { kind: "value", value: { name, test } };
}

export const FROM_DOC: InputDoc = {
  description:
    "Started at this time or later. ISO 8601 with `Z` or an offset; a date alone means midnight UTC.",
  example: "2026-11-15T10:00:00Z",
};

/** The time range of lists, live events and analytics. */
function timeRangeInputs() {
  return {
    from: time(FROM_DOC),
    to: time({ description: "Started before this time.", example: "2026-11-15T16:00:00Z" }),
  };
}

/** What may be wrong with these filters. */
export const SPAN_FILTER_ERRORS = [
  "value_not_allowed",
  "number_invalid",
  "out_of_range",
  "date_time_invalid",
  "time_range_invalid",
  "text_too_long",
] as const satisfies readonly ErrorType[];

type FilterValues = z.output<z.ZodMiniObject<ReturnType<typeof spanFilterInputs>>>;

/** The store's filter. */
export function toSpanFilter(query: FilterValues): SpanFilter {
  const { application, route, variant, revision, environment, status, spankind, name, run } = query;
  const traffic = query.traffic ?? (run === undefined ? "live" : "all");
  return withoutAbsent({
    application,
    route,
    variant,
    revision,
    environment,
    status,
    spankind,
    name,
    userId: query.user_id,
    sessionId: query.session_id ?? query.session,
    run,
    traffic: traffic === "all" ? undefined : traffic,
    anyError: query.any_error === undefined ? undefined : query.any_error === "true",
    minLatency: query.min_latency,
    minCost: query.min_cost,
    score: query.score,
    text: query.q,
    startedFrom: query.from,
    startedBefore: query.to,
  });
}

type Present<Values> = { [Key in keyof Values]?: Exclude<Values[Key], undefined> };

function withoutAbsent<Values extends object>(values: Values): Present<Values> {
  const present = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as Present<Values>;
}

/** What is wrong with a time range; undefined when nothing is. */
export function checkTimeRange(
  from: number | undefined,
  to: number | undefined,
): Problem | undefined {
  if (from === undefined || to === undefined || from < to) return undefined;
  return { type: "time_range_invalid", loc: ["query", "from"], msg: "Must be before to." };
}
