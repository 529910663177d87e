import { z } from "zod";
import type { Project } from "./project.ts";

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
