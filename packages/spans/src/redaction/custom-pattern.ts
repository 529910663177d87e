import type { Finder } from "./found.ts";

/**
 * How many steps a project's own patterns may take together at one place of a text, at worst. The time
 * for a text is bounded by this number times its length.
 */
export const MOST_STEPS = 400;
const LONGEST_REGEX = 200;

export type CheckedPattern =
  | {
      readonly kind: "safe";
      readonly steps: number;
      readonly find: Finder;
      readonly sign: string | null;
    }
  /** One or two sentences: what is wrong, and what to write. */
  | { readonly kind: "refused"; readonly reason: string };

/**
 * Checks a regular expression and counts the steps that a backtracking matcher takes with it, at worst,
 * from one place of a text. Allowed are characters, classes, `.`, `\\b`, groups, alternatives and bounded
 * quantifiers; `*`, `+` and `{n,}` only for one character or class at the very end, where nothing after
 * them could fail and be tried again.
 */
export function checkPattern(regex: string): CheckedPattern {
  if (regex.length > LONGEST_REGEX) return refused(`It has more than ${LONGEST_REGEX} characters.`);
  let cost: Cost;
  try {
    cost = new PatternReader(regex).read();
    new RegExp(regex, "u");
  } catch (error) {
    if (error instanceof PatternFault) return refused(error.message);
    return refused(`${(error as Error).message}.`);
  }
  if (cost.steps > MOST_STEPS) {
    const reason = `It may take ${cost.steps > 1e6 ? "millions of" : cost.steps} steps at each character, and ${MOST_STEPS} are allowed. Use smaller bounds, or fewer optional parts.`;
    return refused(reason);
  }
  if (cost.least === 0)
    return refused("It matches the empty text. Require at least one character.");
  return { kind: "safe", steps: cost.steps, find: finderOf(regex), sign: signOf(regex) };
}

function finderOf(regex: string): Finder {
  const pattern = new RegExp(regex, "gu");
  return (text, report) => {
    for (const { index, 0: found } of text.matchAll(pattern)) report(index, index + found.length);
  };
}

// The characters that it begins with, where these are in every match and are never escaped in JSON.
function signOf(regex: string): string | null {
  if (regex.includes("|")) return null;
  const [sign = ""] = /^(?:\\b)?([A-Za-z0-9_ -]+)/.exec(regex)?.slice(1) ?? [];
  const next = regex.slice(regex.indexOf(sign) + sign.length)[0] ?? "";
  // A quantifier makes the last one optional.
  const sure = "*?+{".includes(next) && next !== "" ? sign.slice(0, -1) : sign;
  return sure.length >= 2 ? sure : null;
}

/** Of a part of a pattern, at worst: ways to match from one place, and steps to try all of them. */
interface Cost {
  readonly ways: number;
  readonly steps: number;
  /** Characters that it matches at least. */
  readonly least: number;
  /** Whether it may match any number of characters: nothing may come after it. */
  readonly isOpen: boolean;
}

const NOTHING: Cost = { ways: 1, steps: 0, least: 0, isOpen: false };
const CHARACTER: Cost = { ways: 1, steps: 1, least: 1, isOpen: false };
const BOUNDARY: Cost = { ways: 1, steps: 1, least: 0, isOpen: false };
const CLASSES = "dDwWsS";
const CONTROLS = "tnr";

class PatternFault extends Error {}

class PatternReader {
  readonly #regex: string;
  #at = 0;

  constructor(regex: string) {
    this.#regex = regex;
  }

  read(): Cost {
    const cost = this.#alternatives();
    if (this.#at < this.#regex.length) throw new PatternFault("A ) has no ( before it.");
    return cost;
  }

  #alternatives(): Cost {
    let cost = this.#sequence();
    while (this.#takes("|")) {
      const other = this.#sequence();
      cost = {
        ways: cost.ways + other.ways,
        steps: cost.steps + other.steps + 1,
        least: Math.min(cost.least, other.least),
        isOpen: cost.isOpen || other.isOpen,
      };
    }
    return cost;
  }

  #sequence(): Cost {
    let cost = NOTHING;
    while (this.#at < this.#regex.length && !"|)".includes(this.#peek())) {
      cost = followedBy(cost, this.#quantified());
    }
    return cost;
  }

  #quantified(): Cost {
    const start = this.#at;
    const part = this.#part();
    const isCharacter = part === CHARACTER;
    const quantifier = /^(?:[*+?]|\{(\d{1,4})(,(\d{1,4})?)?\})/.exec(this.#regex.slice(this.#at));
    if (quantifier === null) {
      if (this.#peek() === "{")
        throw new PatternFault("A { must be a quantifier such as {2,8}, or be written as \\{.");
      return part;
    }
    if (part === BOUNDARY)
      throw new PatternFault(`${this.#regex.slice(start, this.#at)} cannot be repeated.`);
    this.#at += quantifier[0].length;
    if (this.#peek() === "?")
      throw new PatternFault("Lazy quantifiers such as +? are not supported.");
    const [from, to] = boundsOf(quantifier);
    if (to === null) {
      if (!isCharacter)
        throw new PatternFault(
          `A group cannot be repeated with ${quantifier[0]}: give it an upper bound, such as {1,8}.`,
        );
      return { ...repeated(part, from, from), least: from, isOpen: true };
    }
    return repeated(part, from, to);
  }

  #part(): Cost {
    const character = this.#peek();
    this.#at++;
    switch (character) {
      case "(":
        return this.#group();
      case "[":
        return this.#class();
      case "\\":
        return this.#escape();
      case "*":
      case "+":
      case "?":
        throw new PatternFault(`There is nothing before ${character} that it could repeat.`);
      case "^":
      case "$":
        throw new PatternFault(
          "^ and $ are not supported: a pattern is searched for anywhere. Use \\b for the edge of a word.",
        );
      default:
        return CHARACTER;
    }
  }

  #group(): Cost {
    if (this.#peek() === "?" && !this.#takes("?:")) {
      throw new PatternFault("Only plain groups are supported: ( ) or (?: ).");
    }
    const cost = this.#alternatives();
    if (!this.#takes(")")) throw new PatternFault("A ( has no ) after it.");
    return { ...cost };
  }

  #class(): Cost {
    const rest = /^\^?(?:[^\]\\]|\\[\s\S])+\]/.exec(this.#regex.slice(this.#at))?.[0];
    if (rest === undefined) throw new PatternFault("A [ has no ] after it.");
    this.#at += rest.length;
    return CHARACTER;
  }

  #escape(): Cost {
    const escaped = this.#peek();
    this.#at++;
    if (escaped === "b") return BOUNDARY;
    if (CLASSES.includes(escaped) || CONTROLS.includes(escaped)) return CHARACTER;
    if (/^[^0-9A-Za-z]$/.test(escaped)) return CHARACTER;
    throw new PatternFault(
      `\\${escaped} is not supported. Write the character itself, or a class such as [0-9].`,
    );
  }

  #peek(): string {
    return this.#regex[this.#at] ?? "";
  }

  #takes(text: string): boolean {
    if (!this.#regex.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }
}

function boundsOf([text, from, more, to]: RegExpExecArray): [number, number | null] {
  if (text === "?") return [0, 1];
  if (text === "*") return [0, null];
  if (text === "+") return [1, null];
  if (more === undefined) return [Number(from), Number(from)];
  return [Number(from), to === undefined ? null : Number(to)];
}

function followedBy(first: Cost, second: Cost): Cost {
  if (first.isOpen) {
    throw new PatternFault(
      "*, + and {n,} are only supported at the very end. Give the others an upper bound, such as {1,20}.",
    );
  }
  return {
    ways: first.ways * second.ways,
    steps: first.steps + first.ways * second.steps,
    least: first.least + second.least,
    isOpen: second.isOpen,
  };
}

// As if it were written out: {1,3} of x is x(x(x)?)?.
function repeated(part: Cost, from: number, to: number): Cost {
  let optional = NOTHING;
  for (let i = from; i < to && optional.steps <= MOST_STEPS; i++) {
    const inner = followedBy(part, optional);
    optional = { ...inner, ways: inner.ways + 1, steps: inner.steps + 1, least: 0 };
  }
  let cost = optional;
  for (let i = 0; i < from && cost.steps <= MOST_STEPS; i++) cost = followedBy(part, cost);
  return cost;
}

function refused(reason: string): CheckedPattern {
  return { kind: "refused", reason };
}
