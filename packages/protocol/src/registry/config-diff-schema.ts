import { z } from "zod";
import type { ConfigDiff, FieldDiff, RouteDiff } from "./config-diff.ts";
import { variantRevisionSchema } from "./variant.ts";

const field = z.string();
const value = z.unknown();

const fieldDiffSchema: z.ZodType<FieldDiff> = z
  .discriminatedUnion("change", [
    z.strictObject({ field, change: z.literal("added"), to: value }),
    z.strictObject({ field, change: z.literal("removed"), from: value }),
    z.strictObject({ field, change: z.literal("changed"), from: value, to: value }),
  ])
  .meta({
    id: "FieldDiff",
    description: "A field that is absent on one side has its default there.",
    examples: [{ field: "temperature", change: "changed", from: 0.7, to: 0.2 }],
  });

const routeDiffSchema: z.ZodType<RouteDiff> = z
  .strictObject({ route: z.string(), fields: z.array(fieldDiffSchema) })
  .meta({ id: "RouteDiff" });

export const configDiffSchema: z.ZodType<ConfigDiff> = z
  .strictObject({
    from: variantRevisionSchema,
    to: variantRevisionSchema,
    routes: z.array(routeDiffSchema),
  })
  .meta({
    id: "ConfigDiff",
    description: "Routes and fields that are the same are left out.",
    examples: [
      {
        from: { id: "var_6hd3wq2m7c4nxzbrtk5a", slug: "default", revision: 2 },
        to: { id: "var_6hd3wq2m7c4nxzbrtk5a", slug: "default", revision: 3 },
        routes: [
          {
            route: "/summarize",
            fields: [{ field: "temperature", change: "changed", from: 0.7, to: 0.2 }],
          },
        ],
      },
    ],
  });
