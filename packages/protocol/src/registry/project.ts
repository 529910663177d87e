import { z } from "zod";
import { REDACTION_PATTERNS, type RedactionRules } from "./redaction-rules.ts";

/** What traces, applications and API keys belong to. */
export interface Project {
  readonly id: string;
  readonly slug: string;
  readonly created_at: string;
}

export const projectSchema: z.ZodType<Project> = z
  .strictObject({ id: z.string(), slug: z.string(), created_at: z.iso.datetime() })
  .meta({
    id: "Project",
    examples: [
      {
        id: "prj_6brt2ak3v5zq7m2c4nxw",
        slug: "search-team",
        created_at: "2026-11-15T10:00:00.000Z",
      },
    ],
  });

/** The redaction rules of a project, with the name of the key that last set them. */
export interface ProjectRedaction extends RedactionRules {
  /** Null where none were ever set. */
  readonly updated_at: string | null;
  readonly updated_by: string | null;
}

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
