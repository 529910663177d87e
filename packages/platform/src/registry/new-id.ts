import { randomBytes } from "node:crypto";
import { ID_LENGTH, type IdPrefix } from "@agate/protocol";

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

/**
 * A random id that says what it is of: 100 bits, so that no two are ever the same.
 *
 * @example newId("app") // "app_k3v5zq7m2c4nxw6brt2a"
 */
export function newId(prefix: IdPrefix): string {
  const letters = Array.from(randomBytes(ID_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]);
  return `${prefix}_${letters.join("")}`;
}
