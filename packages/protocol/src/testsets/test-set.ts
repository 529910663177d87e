import { z } from "zod";
import type { TestRow } from "./test-row.ts";

/** Cases for a route, kept in revisions 1, 2, 3 … */
export interface TestSet {
  readonly id: string;
  readonly slug: string;
  readonly description: string;
  readonly created_by: string;
  readonly created_at: string;
  /** 0 while nothing is committed. */
  readonly latest_revision: number;
  /** How many rows the latest revision has. */
  readonly rows: number;
  /** The route that its rows are inputs of: they are checked when they are written. */
  readonly bound_to: RouteBinding | null;
}

export interface RouteBinding {
  /** The application's slug. */
  readonly application: string;
  /** Its path as declared; the entrypoint is `/`. */
  readonly route: string;
}

/** One revision of a test set, by name. */
export interface TestSetRef {
  readonly id: string;
  readonly slug: string;
  readonly revision: number;
}

/** How many rows a commit has changed. */
export interface RowCounts {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  /** Same content, another place. */
  readonly moved: number;
}

/** A revision of a test set in its history. */
export interface TestSetRevision extends RowCounts {
  readonly test_set: TestSetRef;
  readonly message: string;
  /** Who committed it: the name of a key, or `local`. */
  readonly created_by: string;
  readonly created_at: string;
  readonly rows: number;
}

/** What a commit did. Where nothing changed, there is no new revision. */
export interface TestSetCommit extends RowCounts {
  /** The latest revision, which a commit that changes nothing leaves as it is. */
  readonly test_set: TestSetRef;
  readonly unchanged: number;
}

/** What became of spans that were added as rows. */
export interface AddedSpans {
  /** The latest revision, which is the one before where nothing was added. */
  readonly test_set: TestSetRef;
  readonly added: number;
  /** Those whose inputs a row of the set, or an earlier span of the request, has. */
  readonly skipped: number;
}

/** A row that differs between two revisions. */
export type RowDiff =
  | { readonly id: string; readonly change: "added"; readonly to: TestRow }
  | { readonly id: string; readonly change: "removed"; readonly from: TestRow }
  | {
      readonly id: string;
      readonly change: "changed";
      readonly from: TestRow;
      readonly to: TestRow;
    };

/** One page of the difference between two revisions; the counts are of all of it. */
export interface TestSetDiff extends Omit<RowCounts, "moved"> {
  readonly from: TestSetRef;
  readonly to: TestSetRef;
  readonly items: readonly RowDiff[];
  readonly next_cursor: string | null;
}

const count = z.int().nonnegative();
const name = { id: z.string(), slug: z.string() };

const refSchema: z.ZodType<TestSetRef> = z.strictObject({ ...name, revision: count }).meta({
  id: "TestSetRef",
  description: "A test set at a revision; 0 while it has none.",
  examples: [{ id: "tst_k3v5zq7m2c4nxw6brt2a", slug: "support-golden", revision: 3 }],
});

const counts = {
  added: count,
  changed: count,
  removed: count,
  moved: count.meta({ description: "Same content, another place." }),
};

export const testSetSchema: z.ZodType<TestSet> = z
  .strictObject({
    ...name,
    description: z.string(),
    created_by: z.string().meta({ description: "Name of the key, or `local`." }),
    created_at: z.iso.datetime(),
    latest_revision: count.meta({ description: "0 while nothing is committed." }),
    rows: count.meta({ description: "How many rows the latest revision has." }),
    bound_to: z
      .strictObject({ application: z.string(), route: z.string() })
      .nullable()
      .meta({ description: "The route that its rows are inputs of." }),
  })
  .meta({
    id: "TestSet",
    examples: [
      {
        id: "tst_k3v5zq7m2c4nxw6brt2a",
        slug: "support-golden",
        description: "Tickets that were answered well",
        created_by: "local",
        created_at: "2026-11-15T10:00:00.000Z",
        latest_revision: 3,
        rows: 120,
        bound_to: { application: "support", route: "/answer" },
      },
    ],
  });

export const testRowSchema: z.ZodType<TestRow> = z
  .strictObject({
    id: z.string(),
    inputs: z.record(z.string(), z.unknown()),
    expected: z.unknown().exactOptional(),
    metadata: z.record(z.string(), z.unknown()),
    tags: z.array(z.string()),
    source: z
      .strictObject({ trace_id: z.string(), span_id: z.string() })
      .nullable()
      .meta({ description: "The span that it was taken from." }),
    purged: z
      .literal(true)
      .exactOptional()
      .meta({ description: "Its content was deleted from all revisions; else not there." }),
  })
  .meta({
    id: "TestRow",
    examples: [
      {
        id: "ticket-7",
        inputs: { text: "I was charged twice." },
        expected: { label: "billing" },
        metadata: {},
        tags: ["hard"],
        source: null,
      },
    ],
  });

export const testSetRevisionSchema: z.ZodType<TestSetRevision> = z
  .strictObject({
    test_set: refSchema,
    message: z.string(),
    created_by: z.string().meta({ description: "Name of the key, or `local`." }),
    created_at: z.iso.datetime(),
    rows: count,
    ...counts,
  })
  .meta({ id: "TestSetRevision" });

export const testSetCommitSchema: z.ZodType<TestSetCommit> = z
  .strictObject({ test_set: refSchema, ...counts, unchanged: count })
  .meta({ id: "TestSetCommit", description: "What a commit did to the rows." });

export const addedSpansSchema: z.ZodType<AddedSpans> = z
  .strictObject({
    test_set: refSchema,
    added: count,
    skipped: count.meta({ description: "How many have the inputs of a row that is there." }),
  })
  .meta({ id: "AddedSpans" });

const rowDiffSchema: z.ZodType<RowDiff> = z
  .discriminatedUnion("change", [
    z.strictObject({ id: z.string(), change: z.literal("added"), to: testRowSchema }),
    z.strictObject({ id: z.string(), change: z.literal("removed"), from: testRowSchema }),
    z.strictObject({
      id: z.string(),
      change: z.literal("changed"),
      from: testRowSchema,
      to: testRowSchema,
    }),
  ])
  .meta({ id: "RowDiff" });

export const testSetDiffSchema: z.ZodType<TestSetDiff> = z
  .strictObject({
    from: refSchema,
    to: refSchema,
    added: count,
    changed: count,
    removed: count,
    items: z.array(rowDiffSchema),
    next_cursor: z.string().nullable().meta({ description: "Null on the last page." }),
  })
  .meta({ id: "TestSetDiff", description: "The counts are of the whole difference." });
