import type { AppendOutcome, RejectedSpan } from "./span-store.ts";

/**
 * Which of the spans sent to a trace exceed its limit. Spans that it has already may be sent again; of the
 * new ones the first to arrive are stored.
 *
 * @param sent How many were sent, each id once, in the order of arrival.
 * @param isStored Whether the trace holds a span already, by its index.
 * @param stored How many distinct spans the trace holds.
 * @returns Their indices.
 */
export function beyondLimit(
  sent: number,
  isStored: (index: number) => boolean,
  stored: number,
  limit: number,
): ReadonlySet<number> {
  const beyond = new Set<number>();
  if (stored + sent <= limit) return beyond;
  let room = Math.max(0, limit - stored);
  for (let index = 0; index < sent; index++) {
    if (isStored(index)) continue;
    if (room > 0) room--;
    else beyond.add(index);
  }
  return beyond;
}

export function committed(rejected: readonly RejectedSpan[], limit: number): AppendOutcome {
  return rejected.length === 0
    ? { kind: "committed" }
    : { kind: "partly-committed", rejected, maxSpansPerTrace: limit };
}
