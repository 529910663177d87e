import { OPERATOR_NAME } from "./caller.ts";

const LONGEST = 64;
const PRINTABLE = /^[^\p{C}\p{Zl}\p{Zp}]+$/u;

/** What a name is, for the middle of a sentence. */
export const API_KEY_NAME_RULE = `a name of 1 to ${LONGEST} printable characters, without a space at its ends, other than "${OPERATOR_NAME}"`;

/** Whether a key may be called this. Histories show it as who did something. */
export function isApiKeyName(name: string): boolean {
  return (
    [...name].length <= LONGEST &&
    PRINTABLE.test(name) &&
    name.trim() === name &&
    name !== OPERATOR_NAME
  );
}
