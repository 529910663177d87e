import { open, readFile, rename } from "node:fs/promises";
import { z } from "zod";

/** The progress of a migration: what a later process needs to resume it. */
export interface MigrationState {
  /** The names of the stores, without passwords. */
  readonly from: string;
  readonly to: string;
  /** Everything in the source up to here is in the target. */
  readonly position: string | null;
  /**
   * The same without the most recent arrivals: other servers may still have committed spans that belong
   * before them.
   */
  readonly settled: string | null;
  readonly spans: number;
  /** The progress of the scores, which are copied in the order of traces, after the spans. */
  readonly scores: ScoreProgress;
  readonly seed: string;
  /** The traces that are to be compared at the end: project and id. */
  readonly sample: readonly (readonly [project: string, traceId: string])[];
}

/**
 * Every run reads all scores, and writes those that may be new: a score that is changed has another arrival, not
 * another place in the order.
 */
export interface ScoreProgress {
  /** Microseconds since 1970: all that arrived before was copied. */
  readonly receivedFrom: number;
  /** A pass that was interrupted: when it began, and how far it has come. */
  readonly pass: { readonly begun: number; readonly position: string | null } | null;
  readonly copied: number;
}

export const NO_SCORES_COPIED: ScoreProgress = { receivedFrom: 0, pass: null, copied: 0 };

const FORMAT = 1;

const schema = z.object({
  agate_migration: z.literal(FORMAT),
  from: z.string(),
  to: z.string(),
  position: z.string().nullable(),
  settled: z.string().nullable(),
  spans: z.int().nonnegative(),
  // Files of earlier versions lack it.
  scores: z
    .object({
      receivedFrom: z.int(),
      pass: z.object({ begun: z.int(), position: z.string().nullable() }).nullable(),
      copied: z.int().nonnegative(),
    })
    .default(NO_SCORES_COPIED),
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

type LoadedState =
  | { readonly kind: "none" }
  | { readonly kind: "state"; readonly state: MigrationState }
  /** One sentence that says what to do. */
  | { readonly kind: "unusable"; readonly reason: string };

/** Looks for the state of a migration between these two stores. */
export async function loadState(
  file: string,
  stores: Pick<MigrationState, "from" | "to">,
): Promise<LoadedState> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return { kind: "none" };
    return unusable(`${file} cannot be read (${code}). Name another file with --state.`);
  }
  const state = readState(text);
  if (state === undefined) {
    return unusable(
      `${file} is not the state of a migration. It was left as it is: name another file with --state.`,
    );
  }
  if (state.from !== stores.from || state.to !== stores.to) {
    return unusable(
      `${file} belongs to a migration from ${state.from} to ${state.to}. Name another file with --state, or delete it if that one is over.`,
    );
  }
  return { kind: "state", state };
}

/** Replaces the file atomically: a process that is killed leaves the previous one. */
export async function saveState(file: string, state: MigrationState): Promise<void> {
  const draft = `${file}.new`;
  {
    await using handle = await open(draft, "w", 0o600);
    await handle.writeFile(writeState(state));
    await handle.sync();
  }
  await rename(draft, file);
}

function unusable(reason: string): LoadedState {
  return { kind: "unusable", reason };
}
