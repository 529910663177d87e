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
