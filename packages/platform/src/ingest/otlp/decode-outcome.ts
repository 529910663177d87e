import type { OtlpSpan } from "@agate/spans";

/** The spans of one request that can be kept, and why the others cannot. */
export interface OtlpRequest {
  readonly spans: readonly OtlpSpan[];
  readonly rejected: number;
  /** One sentence about the first rejected spans; empty when none was. */
  readonly rejectedReason: string;
}

export type DecodeOutcome =
  | { readonly kind: "decoded"; readonly request: OtlpRequest }
  | DecodeFailure;

export type DecodeFailure =
  /** The bytes are not a request of this kind; the sentence says where they stop being one. */
  { readonly kind: "undecodable"; readonly reason: string } | OversizedOutcome;

/** Nothing of the request is kept: what it would become in memory is over a limit. */
export interface OversizedOutcome {
  readonly kind: "too-many-spans" | "too-complex";
  /** One or two sentences: what there is too much of, and what to do. */
  readonly reason: string;
}

/**
 * AnyValues nested deeper are refused, in both encodings. Without a bound a few kilobytes of nested
 * lists exhaust the stack, here or where the value is written as JSON.
 */
export const MAX_VALUE_DEPTH = 64;

/** Unknown groups nested deeper are refused; the bound keeps the memory for skipping them small. */
export const MAX_GROUP_DEPTH = 64;

/** How much a request may become in memory. A few bytes of it can stand for a hundred. */
export interface DecodeLimits {
  /** Spans, kept or rejected. */
  readonly spans: number;
  /** Messages in protobuf, objects and lists in JSON: each takes some 100 bytes when it is decoded. */
  readonly values: number;
  /** Bytes of resources and scopes, counted for each of their spans: every record repeats them. */
  readonly repeatedBytes: number;
}

export const DEFAULT_DECODE_LIMITS: DecodeLimits = {
  spans: 50_000,
  values: 3_000_000,
  repeatedBytes: 256 * 1024 ** 2,
};

/**
 * A larger body is refused: its text, or the hex of a byte field, could exceed the longest string
 * that V8 can hold, and making it would throw. The HTTP layer's own limit is far below.
 */
export const MAX_BODY_BYTES = 2 ** 28 - 16;

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

/** Reads a request with a decoder that throws {@link Undecodable} and {@link Oversized}. */
export function decodeSafely<Outcome>(
  bytes: Uint8Array,
  read: () => Outcome,
): Outcome | DecodeFailure {
  if (bytes.byteLength > MAX_BODY_BYTES) {
    return { kind: "undecodable", reason: `more than ${MAX_BODY_BYTES} bytes` };
  }
  try {
    return read();
  } catch (error) {
    if (error instanceof Oversized) return error.outcome;
    if (error instanceof Undecodable) return { kind: "undecodable", reason: error.message };
    throw error;
  }
}

export function tooManyValues(limit: number): Oversized {
  return new Oversized({
    kind: "too-complex",
    reason: `The body has more than ${limit} values. Send less in a request.`,
  });
}
