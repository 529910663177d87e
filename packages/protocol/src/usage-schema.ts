import { z } from "zod";
import type { Usage } from "./usage.ts";

const tokens = z.number().nonnegative().nullable();

export const usageSchema: z.ZodType<Usage> = z
  .strictObject({
    input_tokens: tokens,
    output_tokens: tokens,
    total_tokens: tokens,
    cached_input_tokens: tokens,
    reasoning_tokens: tokens,
  })
  .meta({ id: "Usage" });
