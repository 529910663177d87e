import type { OversizedOutcome } from "./decode-outcome.ts";

/**
 * Thrown inside the decoders and turned into an `undecodable` outcome at their face: a fault deep
 * in nested messages ends the whole decoding.
 */
export class Undecodable extends Error {
  override readonly name = "Undecodable";
}

/** Thrown likewise where a request exceeds one of the {@link DecodeLimits}. */
export class Oversized extends Error {
  override readonly name = "Oversized";
  readonly outcome: OversizedOutcome;

  constructor(outcome: OversizedOutcome) {
    super(outcome.kind);
    this.outcome = outcome;
  }
}

export function tooManyValues(limit: number): Oversized {
  return new Oversized({
    kind: "too-complex",
    reason: `The body has more than ${limit} values. Send fewer spans in a request.`,
  });
}
