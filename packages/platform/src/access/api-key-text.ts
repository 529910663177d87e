import { hash, randomInt } from "node:crypto";
import { OPERATOR_NAME } from "./caller.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SHOWN_LENGTH = 8;
const SECRET_LENGTH = 32;
const SESSION_LENGTH = 40;
const SESSION_TOKEN = new RegExp(`^as_[0-9A-Za-z]{${SESSION_LENGTH}}$`);
const ID_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const ID_LENGTH = 20;

const IN_HEADER = new RegExp(
  `^(?:Bearer|ApiKey) +(ag_[0-9A-Za-z]{${SHOWN_LENGTH}}_[0-9A-Za-z]{${SECRET_LENGTH}}) *$`,
  "i",
);
const BEGINNING = new RegExp(`^ag_[0-9A-Za-z]{${SHOWN_LENGTH}}_`, "i");

/** A key as its owner holds it. */
export interface ApiKeyText {
  readonly key: string;
  /** How it begins: enough to tell keys apart, nothing of the secret. */
  readonly prefix: string;
}

/**
 * A new random key.
 *
 * @example newApiKeyText() // { key: "ag_4fT9xQ2b_9hYc…", prefix: "ag_4fT9xQ2b" }
 */
export function newApiKeyText(): ApiKeyText {
  const prefix = `ag_${randomText(ALPHABET, SHOWN_LENGTH)}`;
  return { key: `${prefix}_${randomText(ALPHABET, SECRET_LENGTH)}`, prefix };
}

/** What a key is called in requests about it. */
export function newApiKeyId(): string {
  return `key_${randomText(ID_ALPHABET, ID_LENGTH)}`;
}

export function isApiKeyId(text: string): boolean {
  return /^key_[a-z2-7]{20}$/.test(text);
}

/** What a session's cookie holds: random, and nothing of the key. */
export function newSessionToken(): string {
  return `as_${randomText(ALPHABET, SESSION_LENGTH)}`;
}

export function isSessionToken(text: string): boolean {
  return SESSION_TOKEN.test(text);
}

/** What is kept of a key or a session, in hex. It is a random number of 190 bits: no slow hash is needed. */
export function hashApiKey(key: string): string {
  return hash("sha256", key);
}

/** The key in an `Authorization` header; undefined when there is none that could be ours. */
export function apiKeyIn(authorization: string): string | undefined {
  return IN_HEADER.exec(authorization)?.[1];
}

/** Whether a text begins as API keys do: also one that was cut off or mistyped at its end. */
export function beginsLikeApiKey(text: string): boolean {
  return BEGINNING.test(text);
}

function randomText(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join("");
}

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
