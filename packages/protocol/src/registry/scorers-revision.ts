import { z } from "zod";

/** Configurations by the names that scorers were declared with: `{"helpful": {"rubric": "…"}}`. */
export type ScorerConfigs = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Configurations of an application's scorers. It never changes; a run is pinned to one. */
export interface ScorersRevision {
  /** From 1 in each application. */
  readonly revision: number;
  /** By the names that scorers were declared with. What is left out has its default. */
  readonly configs: ScorerConfigs;
  readonly message: string;
  /** Who committed it: the name of a key, or `local`. */
  readonly created_by: string;
  readonly created_at: string;
}

/** A revision in a list: its configurations are left out. */
export type ListedScorersRevision = Omit<ScorersRevision, "configs">;

const listed = {
  revision: z.int().positive(),
  message: z.string(),
  created_by: z.string().meta({ description: "Name of the key, or `local`." }),
  created_at: z.iso.datetime(),
};

const example: ListedScorersRevision = {
  revision: 3,
  message: "Stricter",
  created_by: "local",
  created_at: "2026-11-15T10:00:00.000Z",
};

export const listedScorersRevisionSchema: z.ZodType<ListedScorersRevision> = z
  .strictObject(listed)
  .meta({ id: "ListedScorersRevision", examples: [example] });

export const scorersRevisionSchema: z.ZodType<ScorersRevision> = z
  .strictObject({
    ...listed,
    configs: z.record(z.string(), z.record(z.string(), z.unknown())).meta({
      description: "Name of a scorer to its configuration. What is left out has its default.",
    }),
  })
  .meta({
    id: "ScorersRevision",
    examples: [{ ...example, configs: { helpful: { rubric: "Is the problem solved?" } } }],
  });
