import { z } from "zod";

/** How far a migration has come: what a later process needs to go on with it. */
export interface MigrationState {
  /** The stores, as people are shown them: without passwords. */
  readonly from: string;
  readonly to: string;
  /** Everything in the source up to here is in the target. */
  readonly position: string | null;
  /**
   * The same, but for what arrived shortly before it was read: other servers may have committed
   * something then that belongs before it.
   */
  readonly settled: string | null;
  readonly spans: number;
  readonly seed: string;
  /** The traces that are to be compared at the end: project and id. */
  readonly sample: readonly (readonly [project: string, traceId: string])[];
}

const FORMAT = 1;

const schema = z.object({
  agate_migration: z.literal(FORMAT),
  from: z.string(),
  to: z.string(),
  position: z.string().nullable(),
  settled: z.string().nullable(),
  spans: z.int().nonnegative(),
  seed: z.string(),
  sample: z.array(z.tuple([z.string(), z.string()])),
});

export function writeState(state: MigrationState): string {
  return `${JSON.stringify({ agate_migration: FORMAT, ...state })}\n`;
}

/** Undefined for a text that is not the state of a migration. */
export function readState(text: string): MigrationState | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { success, data } = schema.safeParse(value);
  if (!success) return undefined;
  const { agate_migration: _, ...state } = data;
  return state;
}
