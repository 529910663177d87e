const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
const NINE = 0x39;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;

/** Numbers of fewer digits are exact as doubles. */
const LONG_DIGITS = 16;
/** Commas separate values, of which several take as much memory as an empty object. */
const COMMAS_PER_VALUE = 4;

export interface JsonScan {
  /** Objects and lists, and a part for each comma: what parsing would take memory for. */
  readonly values: number;
  /** Whether a number outside of strings may have more digits than a double holds. */
  readonly hasLongNumbers: boolean;
}

/** Looks at JSON before it is parsed. Takes any bytes. */
export function scanJson(bytes: Uint8Array): JsonScan {
  let opened = 0;
  let commas = 0;
  let digits = 0;
  let hasLongNumbers = false;
  for (let at = 0; at < bytes.length; at++) {
    const code = bytes[at] as number;
    if (code >= ZERO && code <= NINE) {
      digits++;
      if (digits === LONG_DIGITS) hasLongNumbers = true;
      continue;
    }
    digits = 0;
    if (code === QUOTE) at = endOfString(bytes, at);
    else if (code === OPEN_OBJECT || code === OPEN_LIST) opened++;
    else if (code === COMMA) commas++;
  }
  return { values: opened + Math.floor(commas / COMMAS_PER_VALUE), hasLongNumbers };
}

/** Where the string that begins here has its closing quote; past the end when it has none. */
function endOfString(bytes: Uint8Array, from: number): number {
  let at = from + 1;
  for (; at < bytes.length; at++) {
    const code = bytes[at] as number;
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return at;
}
