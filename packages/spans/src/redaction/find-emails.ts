import { type Finder, isAlphanumeric } from "./found.ts";

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
