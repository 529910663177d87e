import type { RedactionPattern } from "@agate/protocol";
import { findCards } from "./find-cards.ts";
import { findIbans } from "./find-ibans.ts";
import type { Finder } from "./found.ts";
import { isAlphanumeric, type Range, rangeOf, reportInOrder } from "./found.ts";

/** The word before a token, which is its group: V8 finds a word far sooner than what may be a token. */
const BEARER = /\b(?:Bearer|bearer) {1,4}(?=([\w.~+/=-]{8,}))/g;
/**
 * Keys with a known beginning: OpenAI, Anthropic and Stripe, GitHub, Slack, AWS, Google,
 * and JSON Web Tokens.
 */
const KEYS =
  /(?<![0-9A-Za-z])(?:[spr]k[-_][\w-]{16,}|ghp_\w{20,}|github_pat_\w{20,}|xox[abeoprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?)/g;
const LONG = 20;

/** Finds bearer tokens, API keys of well-known shapes, and JSON Web Tokens. */
export const findTokens: Finder = (text, report) => {
  const bearers = Array.from(text.matchAll(BEARER), ({ index, 0: word, 1: token = "" }) =>
    rangeOf(index + word.length, token),
  );
  const keys = Array.from(text.matchAll(KEYS), ({ index, 0: key }) => rangeOf(index, key));
  const isToken = ({ start, end }: Range) =>
    end - start >= LONG || /\d/.test(text.slice(start, end));
  reportInOrder([...bearers, ...keys].filter(isToken), report);
};

/**
 * With a country's code: `+49 30 901820`, `+1 (555) 123-4567`. Not a number with decimals, `+1.23456789`.
 * Quantifiers are bounded, and two digits are always told apart: the time is linear.
 */
const INTERNATIONAL =
  /(?<![0-9A-Za-z_+.-])\+(?!\d+\.\d{5})[1-9](?:[ .\-/()]{0,2}\d){7,14}(?![0-9A-Za-z])/g;
/** As in North America: `(555) 123-4567`, `555-123-4567`, `555.123.4567`, `1-555-123-4567`. */
const NORTH_AMERICAN =
  /(?<![0-9A-Za-z_+.-])(?:1[ .-])?(?:\([2-9]\d{2}\) ?[2-9]\d{2}[ .-]|[2-9]\d{2}([.-])[2-9]\d{2}\1)\d{4}(?![0-9A-Za-z_-]|\.\d)/g;

/** Finds phone numbers that can be told from other numbers: by a country's code, or by their form. */
export const findPhones: Finder = (text, report) => {
  const found = [...text.matchAll(INTERNATIONAL), ...text.matchAll(NORTH_AMERICAN)];
  reportInOrder(
    found.map(({ index, 0: number }) => rangeOf(index, number)),
    report,
  );
};

const LONGEST_LOCAL_PART = 64;
const AT = /@|%40/g;
/** Labels are told apart by their dots, so that there is one way to read each. */
const DOMAIN =
  /(?:[a-z0-9\u0080-\uffff-]{1,63}\.){1,8}(?:xn--[a-z0-9-]{2,59}|[a-z\u0080-\uffff]{2,63})/iy;
/** Beside letters and digits, before the @. */
const LOCAL_SIGNS = "._%+'-";

/** Finds e-mail addresses, also with `%40` for the @, as URLs have it. Letters of any language count. */
export const findEmails: Finder = (text, report) => {
  AT.lastIndex = 0;
  let free = 0;
  for (let at = AT.exec(text); at !== null; at = AT.exec(text)) {
    const start = localStart(text, at.index, free);
    if (start === at.index) continue;
    DOMAIN.lastIndex = AT.lastIndex;
    if (!DOMAIN.test(text)) continue;
    free = DOMAIN.lastIndex;
    report(start, free);
    AT.lastIndex = free;
  }
};

function localStart(text: string, at: number, free: number): number {
  const first = Math.max(free, at - LONGEST_LOCAL_PART);
  let start = at;
  while (start > first && isLocal(text.charCodeAt(start - 1))) start--;
  return start;
}

function isLocal(code: number): boolean {
  return isAlphanumeric(code) || code >= 128 || LOCAL_SIGNS.includes(String.fromCharCode(code));
}

export interface ReadyPattern {
  readonly find: Finder;
  /**
   * What every occurrence contains: an expression, or eight digits with at most two other characters
   * between them. An expression begins with what is rare in texts, and looks behind it for the rest: then
   * V8 searches for it 16 characters at a time.
   */
  readonly sign: string;
}

export const READY_PATTERNS: Readonly<Record<RedactionPattern, ReadyPattern>> = {
  token: {
    find: findTokens,
    sign: "(?<=[spr]k)[-_]|(?<=ghp|_pat)_|(?<=xox[abeoprs])-|(?<=AK)IA|(?<=AI)za|(?<=ey)J|Bearer |bearer ",
  },
  email: {
    find: findEmails,
    // In JSON, a letter of the domain may be an escape.
    sign: "(?<=[\\w.%+'\\\\\\u0080-\\uffff-])@(?=[\\w\\u0080-\\uffff-]{0,63}[.\\\\])|%40",
  },
  iban: { find: findIbans, sign: "digits" },
  card: { find: findCards, sign: "digits" },
  phone: { find: findPhones, sign: "digits" },
};
