import { randomBytes } from "node:crypto";

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const LENGTH = 20;

export const ID_PREFIXES = ["app", "var", "env", "dep", "bld", "prj", "key"] as const;
export type IdPrefix = (typeof ID_PREFIXES)[number];

/**
 * A random id that says what it is of: 100 bits, so that no two are ever the same.
 *
 * @example newId("app") // "app_k3v5zq7m2c4nxw6brt2a"
 */
export function newId(prefix: IdPrefix): string {
  const letters = Array.from(randomBytes(LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]);
  return `${prefix}_${letters.join("")}`;
}

const BEGINS_AS_ID = new RegExp(`^(?:${ID_PREFIXES.join("|")})_.{${LENGTH}}`);

/** Whether a text is meant as an id. No slug is. */
export function looksLikeId(text: string): boolean {
  return BEGINS_AS_ID.test(text);
}
