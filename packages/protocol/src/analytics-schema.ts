import { z } from "zod";
import type { Analytics, AnalyticsBucket, AnalyticsGroup } from "./analytics.ts";

const count = z.int().nonnegative();
const milliseconds = z.number();

const figures = {
  count,
  errors: count,
  cost: z.number().nullable().meta({
    description: "US dollars, of the traces whose cost is known; null where there is none.",
  }),
  with_cost: count.meta({
    description: "How many traces have a known cost, be it of all or of some of their model calls.",
  }),
  priced: z.strictObject({ count, cost: z.number().nullable() }).meta({
    description:
      "The traces whose cost is known and of all their model calls, and what these cost together: divide by their count for an average.",
  }),
  tokens: z.strictObject({ input: z.number(), output: z.number(), total: z.number() }),
  with_tokens: count.meta({ description: "How many traces have known tokens." }),
  latency: z
    .strictObject({ p50: milliseconds, p95: milliseconds, p99: milliseconds })
    .nullable()
    .meta({ description: "Milliseconds; null where no trace has ended." }),
};

const bucketSchema: z.ZodType<AnalyticsBucket> = z
  .strictObject({ start: z.iso.datetime(), ...figures })
  .meta({ id: "AnalyticsBucket", description: "The traces that started in one slice of time." });

const groupSchema: z.ZodType<AnalyticsGroup> = z
  .strictObject({
    key: z.string().nullable().meta({ description: "Null for the traces that have no value." }),
    ...figures,
    buckets: z.array(bucketSchema),
  })
  .meta({ id: "AnalyticsGroup", description: "The traces that have one value in common." });

export const analyticsSchema: z.ZodType<Analytics> = z
  .strictObject({
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    interval: z.string().meta({ description: "Width of a bucket.", examples: ["15m"] }),
    total: z.strictObject(figures).meta({ description: "All buckets together." }),
    buckets: z.array(bucketSchema),
    groups: z.exactOptional(z.array(groupSchema)).meta({
      description: "With `group_by`: those with most traces, most first, then by key.",
    }),
    groups_left_out: z.exactOptional(count).meta({
      description: "With `group_by`: how many groups more there are.",
    }),
  })
  .meta({ id: "Analytics" });
