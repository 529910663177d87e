import { createHash } from "node:crypto";

/** The strong entity tag of a body: the same on every server, and another for every other body. */
export function entityTag(body: string): string {
  return `"${createHash("sha256").update(body).digest("base64url")}"`;
}

/** Opaque tags may hold commas, so a list cannot simply be split. */
const LISTED_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/** Whether `If-None-Match` names the tag, by the weak comparison that RFC 9110 asks for there. */
export function isNamed(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return [...ifNoneMatch.matchAll(LISTED_TAG)].some(([, opaque]) => opaque === etag);
}
