import { randomBytes } from "node:crypto";

/** What the page's own style elements carry; another for each answer, so that nobody can know it. */
export function newNonce(): string {
  return randomBytes(16).toString("base64url");
}

/**
 * What the page may load and run: what this server serves, and nothing that is written into it.
 * Trusted types make a script that would turn text into markup fail.
 */
export function pagePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    // The editor and the menus make style elements.
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    // Forms are sent by scripts.
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}
