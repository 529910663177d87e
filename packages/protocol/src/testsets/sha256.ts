const ROUNDS = 64;
const BLOCK = 64;

/**
 * SHA-256 of a text in UTF-8, as hex. Here because browsers have it asynchronously alone, and not at
 * all on pages that were loaded without TLS.
 */
export function sha256Hex(text: string): string {
  const message = padded(utf8Bytes(text));
  const state = Uint32Array.from(INITIAL);
  const words = new Uint32Array(ROUNDS);
  const view = new DataView(message.buffer);
  for (let start = 0; start < message.length; start += BLOCK) {
    for (let n = 0; n < 16; n++) words[n] = view.getUint32(start + 4 * n);
    compress(state, words);
  }
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("");
}

function compress(state: Uint32Array, words: Uint32Array): void {
  for (let n = 16; n < ROUNDS; n++) {
    const before = words[n - 15]!;
    const last = words[n - 2]!;
    const early = turned(before, 7) ^ turned(before, 18) ^ (before >>> 3);
    const late = turned(last, 17) ^ turned(last, 19) ^ (last >>> 10);
    words[n] = words[n - 16]! + early + words[n - 7]! + late;
  }
  // Not by destructuring, which would take most of the time.
  let [a, b, c, d] = [state[0]!, state[1]!, state[2]!, state[3]!];
  let [e, f, g, h] = [state[4]!, state[5]!, state[6]!, state[7]!];
  for (let n = 0; n < ROUNDS; n++) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const high = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const low = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    const first = (h + high + choice + CONSTANTS[n]! + words[n]!) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + low + majority) | 0;
  }
  const added = [a, b, c, d, e, f, g, h];
  for (let n = 0; n < added.length; n++) state[n] = state[n]! + added[n]!;
}

function turned(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

/** With a 1 bit, zeros and the length in bits, up to whole blocks. */
function padded(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const message = new Uint8Array(Math.ceil((bytes.length + 9) / BLOCK) * BLOCK);
  message.set(bytes);
  message[bytes.length] = 0x80;
  const view = new DataView(message.buffer);
  view.setUint32(message.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(message.length - 4, bytes.length << 3);
  return message;
}

/** The bits that a first byte begins with, by how many follow it. */
const LEADS = [0, 0xc0, 0xe0, 0xf0];

/** The bytes of a text in UTF-8. Unpaired surrogates become U+FFFD. */
export function utf8Bytes(text: string): Uint8Array {
  const bytes = new Uint8Array(utf8Length(text));
  let at = 0;
  for (const character of text.toWellFormed()) {
    const code = character.codePointAt(0)!;
    if (code < 0x80) bytes[at++] = code;
    else {
      const following = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
      bytes[at++] = LEADS[following]! | (code >> (6 * following));
      for (let n = following - 1; n >= 0; n--) bytes[at++] = 0x80 | ((code >> (6 * n)) & 0x3f);
    }
  }
  return bytes;
}

/** How many bytes a text takes in UTF-8. */
export function utf8Length(text: string): number {
  let length = text.length;
  for (let n = 0; n < text.length; n++) {
    const code = text.charCodeAt(n);
    if (code < 0x80) continue;
    if (code < 0x800) length += 1;
    else {
      length += 2;
      const isPair = (code & 0xfc00) === 0xd800 && (text.charCodeAt(n + 1) & 0xfc00) === 0xdc00;
      // Four bytes for two units.
      if (isPair) n++;
    }
  }
  return length;
}

/** Of the fractional parts of roots of the first primes, as the standard has them. */
function fractions(count: number, root: (prime: number) => bigint): number[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n++) {
    if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  }
  return primes.map((prime) => Number(root(prime) & 0xffffffffn));
}

/** floor(value^(1/degree)) by bisection. */
function wholeRoot(value: bigint, degree: bigint): bigint {
  let [low, high] = [0n, 1n << 40n];
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    if (middle ** degree <= value) low = middle;
    else high = middle - 1n;
  }
  return low;
}

const INITIAL = fractions(8, (prime) => wholeRoot(BigInt(prime) << 64n, 2n));
const CONSTANTS = fractions(ROUNDS, (prime) => wholeRoot(BigInt(prime) << 96n, 3n));
