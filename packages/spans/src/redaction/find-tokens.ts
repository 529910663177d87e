import { type Finder, reportMatches } from "./found.ts";

/** The token after `Bearer`, without the word. */
const BEARER = /(?<=\b(?:Bearer|bearer) {1,4})[\w.~+/=-]{8,}/g;
/**
 * Keys with a known beginning: OpenAI, Anthropic and Stripe, GitHub, Slack, AWS, Google,
 * and JSON Web Tokens.
 */
const KEYS =
  /(?<![0-9A-Za-z])(?:[spr]k[-_][\w-]{16,}|ghp_\w{20,}|github_pat_\w{20,}|xox[abeoprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?)/g;
const LONG = 20;

/** Finds bearer tokens, API keys of well-known shapes, and JSON Web Tokens. */
export const findTokens: Finder = (text, report) => {
  const found = [...text.matchAll(BEARER), ...text.matchAll(KEYS)];
  reportMatches(
    found.filter(({ 0: token }) => token.length >= LONG || /\d/.test(token)),
    report,
  );
};
