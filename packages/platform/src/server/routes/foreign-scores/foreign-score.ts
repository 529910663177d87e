import { isRecord, nearestSlug } from "@agate/protocol";
import type { NewScore } from "../../../stores/to-stored-score.ts";
import { readDateTime } from "../../inputs/date-time.ts";

/** A score that a client of another product sends. */
export type ForeignScore =
  | {
      readonly kind: "score";
      readonly score: Omit<NewScore, "trace_id" | "createdAt"> & {
        /** Null: that of its span. */
        readonly trace_id: string | null;
        /** Null: now. */
        readonly createdAt: number | null;
      };
      /** What the product knows it by: the same key again replaces it. Null: as other scores. */
      readonly key: string | null;
    }
  /** A sentence for the person who reads the client's log. */
  | { readonly kind: "rejected"; readonly reason: string };

export function rejected(reason: string): ForeignScore {
  return { kind: "rejected", reason };
}

/** The longest texts of a score, and its largest metadata as JSON, as `POST /observability/scores/` has them. */
export const LONGEST = { label: 100, explanation: 4_000, metadata: 4_096 } as const;

/** A text that is cut to what a score takes; null where there is none. */
export function textOf(value: unknown, longest: number): string | null {
  return typeof value === "string" && value !== "" ? value.slice(0, longest) : null;
}

/** The name as a slug; undefined where it has no letter or digit. */
export function nameOf(value: unknown): string | undefined {
  return typeof value === "string" ? nearestSlug(value.slice(0, 200)) : undefined;
}

/** Metadata as an object; undefined where it is too large. */
export function metadataOf(value: unknown): Record<string, unknown> | null | undefined {
  if (value === undefined || value === null) return null;
  const metadata = isRecord(value) ? value : { value };
  return JSON.stringify(metadata).length <= LONGEST.metadata ? metadata : undefined;
}

/** Microseconds since 1970; null where there is no time that can be read. */
export function timeOf(value: unknown): number | null {
  if (typeof value !== "string") return null;
  const time = readDateTime(value);
  return time.kind === "value" ? time.value : null;
}

/** What no score of another product has. */
export const WITHOUT_RUN = { run: null, case: null, column: null, trial: null } as const;
