import type { Score } from "@agate/protocol";

/** The score that the thumbs set. */
export const THUMBS = "thumbs";

export type Thumb = "up" | "down";

export const THUMB_VALUES: Record<Thumb, number> = { up: 1, down: 0 };

/** Whether two scores are one: sending the second replaces the first. */
function isSame(one: Score, other: Score): boolean {
  return (
    one.span_id === other.span_id &&
    one.name === other.name &&
    one.run === other.run &&
    one.source.kind === other.source.kind &&
    one.source.evaluator === other.source.evaluator &&
    one.source.version === other.source.version &&
    one.source.person === other.source.person
  );
}

/** The scores with one that was given since they were read; it replaces the same one. */
export function withGiven(scores: readonly Score[], given: Score | null): readonly Score[] {
  if (given === null) return scores;
  return [...scores.filter((score) => !isSame(score, given)), given];
}

/** The thumb that a person has set; null where there is none. */
export function ownRating(
  scores: readonly Score[],
  spanId: string,
  person: string | null,
): Score | null {
  const own = scores.filter(
    ({ name, source, run, span_id }) =>
      name === THUMBS &&
      span_id === spanId &&
      run === null &&
      source.kind === "human" &&
      source.evaluator === null &&
      source.person === person,
  );
  return own.at(-1) ?? null;
}

export function thumbOf(rating: Score | null): Thumb | null {
  if (rating === null || rating.value === null) return null;
  return rating.value > 0 ? "up" : "down";
}
