/** A small generator of the same numbers every time (mulberry32). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** A whole number from 0 to `sides` - 1. */
  roll(sides: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.roll(choices.length)] as T;
  }
}

/** Bytes that bound something in protobuf or JSON. */
const INTERESTING = [0x00, 0x01, 0x7f, 0x80, 0xff, 0x0a, 0x12, 0x22, 0x5b, 0x5c, 0x7b, 0x7d];

/** `bytes` damaged in one to four places, as a bad network, encoder or attacker would. */
export function mutateBytes(dice: Dice, bytes: Uint8Array, other: Uint8Array): Uint8Array {
  let mutated = [...bytes];
  for (let times = dice.roll(4); times >= 0; times -= 1) {
    const at = dice.roll(mutated.length + 1);
    switch (dice.roll(7)) {
      case 0:
        mutated[at] = (mutated[at] ?? 0) ^ (1 << dice.roll(8));
        break;
      case 1:
        mutated[at] = dice.pick(INTERESTING);
        break;
      case 2:
        mutated.length = at;
        break;
      case 3:
        mutated.splice(at, dice.roll(20));
        break;
      case 4:
        mutated.splice(at, 0, ...Array.from({ length: dice.roll(12) }, () => dice.roll(256)));
        break;
      case 5: {
        const from = dice.roll(other.length);
        mutated.splice(at, dice.roll(8), ...other.subarray(from, from + dice.roll(200)));
        break;
      }
      default:
        mutated = [...mutated, ...mutated.slice(0, at)];
    }
  }
  return Uint8Array.from(mutated);
}

/** JSON values of every type, and those that are traps in JavaScript. */
const STRAYS: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e300,
  "",
  "0",
  "x",
  "\ud800",
  "NaN",
  [],
  [[]],
  [null],
  {},
  { __proto__: null, values: 1 },
  { arrayValue: { values: [{}] } },
  { length: 1e9, 0: {} },
];

/** A copy of a JSON value in which one to three nodes are replaced by other values. */
export function mutateJson(dice: Dice, root: unknown): unknown {
  const copy: unknown[] = [structuredClone(root)];
  for (let times = dice.roll(3); times >= 0; times -= 1) {
    let holder: Record<string, unknown> = copy as unknown as Record<string, unknown>;
    let key = "0";
    // Goes down from the root and stops somewhere, so that every level is hit often.
    while (dice.roll(5) !== 0) {
      const inner = holder[key];
      if (typeof inner !== "object" || inner === null || Object.keys(inner).length === 0) break;
      holder = inner as Record<string, unknown>;
      key = dice.pick(Object.keys(inner));
    }
    holder[key] = structuredClone(dice.pick(STRAYS));
  }
  return copy[0];
}
