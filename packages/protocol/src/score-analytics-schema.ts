import { z } from "zod";
import type {
  NamedScoreAnalytics,
  ScoreAnalytics,
  ScoreAnalyticsBucket,
  ScoreAnalyticsGroup,
} from "./score-analytics.ts";

const count = z.int().nonnegative();

const figures = {
  count: count.meta({ description: "Scores with the status `ok`." }),
  skipped: count,
  failed: count,
  with_value: count.meta({ description: "How many have a value, which a label alone lacks." }),
  mean: z.number().nullable().meta({ description: "Of the values; null where there is none." }),
};

const bucketSchema: z.ZodType<ScoreAnalyticsBucket> = z
  .strictObject({ start: z.iso.datetime(), ...figures })
  .meta({
    id: "ScoreAnalyticsBucket",
    description: "Scores whose traces started in one slice of time.",
  });

const buckets = z.array(bucketSchema).meta({ description: "Without empty ones." });

const groupSchema: z.ZodType<ScoreAnalyticsGroup> = z
  .strictObject({
    key: z.string().nullable().meta({ description: "Null for traces that have no value." }),
    revision: z.exactOptional(
      z.int().nullable().meta({
        description: "With `group_by=revision`: of the variant that is the key.",
      }),
    ),
    ...figures,
    buckets,
  })
  .meta({
    id: "ScoreAnalyticsGroup",
    description: "Scores whose traces have one value in common.",
  });

const namedSchema: z.ZodType<NamedScoreAnalytics> = z
  .strictObject({
    name: z.string(),
    ...figures,
    labels: z.array(z.strictObject({ label: z.string(), count })).meta({
      description: "Of scores with the status `ok`, the most frequent 20.",
    }),
    buckets,
    groups: z.exactOptional(z.array(groupSchema)).meta({
      description:
        "With `group_by`: those with most scores of any name first; without those that have no score of this name.",
    }),
  })
  .meta({ id: "NamedScoreAnalytics", description: "The scores of one name." });

export const scoreAnalyticsSchema: z.ZodType<ScoreAnalytics> = z
  .strictObject({
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    interval: z.string().meta({ description: "Width of a bucket.", examples: ["15m"] }),
    names: z.array(namedSchema).meta({
      description: "The 50 with most scores, most first, then by name.",
    }),
    names_left_out: count.meta({ description: "How many names more there are." }),
    groups_left_out: z.exactOptional(count).meta({
      description: "With `group_by`: how many groups more there are.",
    }),
  })
  .meta({ id: "ScoreAnalytics" });
