import { z } from "zod";
import type { Score } from "./score.ts";
import { SCORE_SOURCE_KINDS, SCORE_STATUSES } from "./score.ts";

const optionalText = z.string().nullable();

export const scoreSchema: z.ZodType<Score> = z
  .strictObject({
    id: z.string(),
    trace_id: z.string(),
    span_id: optionalText.meta({ description: "Null: the top span of the trace." }),
    name: z.string(),
    value: z.number().nullable(),
    label: optionalText,
    explanation: optionalText,
    source: z
      .strictObject({
        kind: z.enum(SCORE_SOURCE_KINDS),
        evaluator: optionalText,
        version: optionalText,
        person: optionalText,
      })
      .meta({ id: "ScoreSource", description: "Who or what has judged." }),
    status: z.enum(SCORE_STATUSES).meta({
      description:
        "`skipped`: the judgement does not apply. `failed`: it could not be made. The value is null then.",
    }),
    error: optionalText.meta({ description: "Why it has failed, or was skipped." }),
    created_at: z.iso.datetime(),
    run: optionalText,
    case: optionalText,
    column: optionalText,
    trial: z.int().nullable(),
    metadata: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: "Score", description: "A judgement of one span." });
