/**
 * AnyValues nested deeper are refused, in both encodings. Without a bound a few kilobytes of nested
 * lists exhaust the stack, here or where the value is written as JSON.
 */
export const MAX_VALUE_DEPTH = 64;

/** Unknown groups nested deeper are refused; the bound keeps the memory for skipping them small. */
export const MAX_GROUP_DEPTH = 64;

/**
 * A larger body is refused: its text, or the hex of a byte field, could exceed the longest string
 * that V8 can hold, and making it would throw. The HTTP layer's own limit is far below.
 */
export const MAX_BODY_BYTES = 2 ** 28 - 16;
