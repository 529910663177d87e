import * as z from "zod/mini";
import type { SpanFilter } from "../../stores/span-query.ts";
import type { SpanStore } from "../../stores/span-store.ts";
import type { BucketPlan } from "../../traces/buckets.ts";
import { parseInterval, planBuckets } from "../../traces/buckets.ts";
import type { Problem } from "../answer.ts";
import type { ErrorType } from "../errors/error-types.ts";
import { DATE_TIME_PATTERN, readDateTime } from "../inputs/date-time.ts";
import { type Parsed, parsed } from "../inputs/input-kinds.ts";
import {
  checkTimeRange,
  FROM_DOC,
  SPAN_FILTER_ERRORS,
  spanFilterInputs,
  toSpanFilter,
} from "../inputs/span-filter.ts";

const DAY = 86_400_000_000;
/** Or a time, as lists take it. */
const EARLIEST = "earliest";

/** The filters of the lists, with a range and an interval that cut it into buckets. */
export function bucketInputs() {
  return {
    ...spanFilterInputs(),
    from: z.optional(
      parsed(
        {
          ...FROM_DOC,
          description: `${FROM_DOC.description} \`${EARLIEST}\` begins with the first trace that the filters find.`,
        },
        { pattern: `^${EARLIEST}$|${DATE_TIME_PATTERN.pattern}` },
        readFrom,
      ),
    ),
    interval: z.optional(
      parsed(
        {
          description:
            "Width of a bucket: a whole number of `s`, `m`, `h` or `d`. Without it, one that gives at most about a hundred buckets.",
          example: "5m",
        },
        { pattern: "^[1-9][0-9]{0,8}[smhd]$" },
        readInterval,
      ),
    ),
  };
}

function readInterval(text: string): Parsed<number> {
  const value = parseInterval(text);
  if (value !== undefined) return { kind: "value", value };
  const msg = "Must be a whole number of s, m, h or d, such as 5m.";
  return { kind: "problem", type: "interval_invalid", msg };
}

function readFrom(text: string): Parsed<number | typeof EARLIEST> {
  return text === EARLIEST ? { kind: "value", value: EARLIEST } : readDateTime(text);
}

/** What may be wrong with these inputs. */
export const BUCKET_ERRORS = [
  ...SPAN_FILTER_ERRORS,
  "interval_invalid",
  "too_many_buckets",
] as const satisfies readonly ErrorType[];

export interface BucketRequest {
  readonly project: string;
  readonly query: z.output<z.ZodMiniObject<ReturnType<typeof bucketInputs>>>;
  /** Null: no groups. */
  readonly groups: { readonly limit: number } | null;
  /** The most buckets of all groups together, where it is not what `planBuckets` takes. */
  readonly mostGroupBuckets?: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The traces that are asked for, and the buckets to count them in. */
export async function planRequest(
  store: Pick<SpanStore, "earliestStart">,
  { project, query, groups, mostGroupBuckets, now }: BucketRequest,
  gone: () => AbortSignal,
): Promise<
  | { readonly kind: "plan"; readonly plan: BucketPlan; readonly filter: SpanFilter }
  | { readonly kind: "problem"; readonly problem: Problem }
> {
  const { from: givenFrom, to = now() * 1000, ...filters } = query;
  const filter = toSpanFilter(filters);
  const first =
    givenFrom === EARLIEST
      ? await store.earliestStart({ project, filter: { ...filter, startedBefore: to } }, gone())
      : givenFrom;
  const from = first ?? to - DAY;
  const badRange = checkTimeRange(from, to);
  if (badRange !== undefined) return { kind: "problem", problem: badRange };
  const outcome = planBuckets(from, to, query.interval, groups?.limit, mostGroupBuckets);
  if (outcome.kind === "plan") return { ...outcome, filter };
  const msg = tooManyBuckets(outcome, groups?.limit);
  return {
    kind: "problem",
    problem: { type: "too_many_buckets", loc: ["query", "interval"], msg },
  };
}

function tooManyBuckets(
  { count, most }: { readonly count: number; readonly most: number },
  groups = 1,
): string {
  return groups === 1
    ? `Gives ${count} buckets; at most ${most} are allowed. Take a longer interval or a shorter range.`
    : `Gives ${count} buckets for each of up to ${groups} groups; at most ${most} are allowed. Take a longer interval, a shorter range or a smaller group_limit.`;
}
