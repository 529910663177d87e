import { z } from "zod";
import type { ProjectRedaction } from "./redaction-rules.ts";
import { REDACTION_PATTERNS } from "./redaction-rules.ts";

export const projectRedactionSchema: z.ZodType<ProjectRedaction> = z
  .strictObject({
    keys: z.array(z.string()),
    patterns: z.array(z.enum(REDACTION_PATTERNS)),
    custom: z.array(z.strictObject({ name: z.string(), regex: z.string() })),
    updated_at: z.iso.datetime().nullable(),
    updated_by: z.string().nullable(),
  })
  .meta({
    id: "ProjectRedaction",
    examples: [
      {
        keys: ["password", "user.email"],
        patterns: ["email", "card"],
        custom: [{ name: "staff-number", regex: "EMP-\\d{6}" }],
        updated_at: "2026-11-15T10:00:00.000Z",
        updated_by: "ci",
      },
    ],
  });
