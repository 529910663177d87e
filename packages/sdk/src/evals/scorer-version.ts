import type { ScorerKind } from "@agate/protocol";
import { scorerFunction } from "./scorer.ts";

const KIND = Symbol.for("agate.sdk.scorer-kind");
const PARTS = Symbol.for("agate.sdk.scorer-parts");

/**
 * Names what a scorer was made of: the function of every judge has the same text, and differs by its
 * prompt. Returns the scorer.
 */
export function madeOf<F extends object>(scorer: F, ...parts: readonly unknown[]): F {
  return Object.defineProperty(scorer, PARTS, { value: parts });
}

/** Marks a scorer that asks a model. Returns the scorer. */
export function askingModel<F extends object>(scorer: F): F {
  return Object.defineProperty(scorer, KIND, { value: "model" });
}

/** Of functions, `code`: whether they ask a model is not known. */
export function scorerKind(scorer: object): ScorerKind {
  return (scorer as { readonly [KIND]?: ScorerKind })[KIND] ?? "code";
}

/**
 * A hash of the text of a scorer's function and of what it was made of. Helpers that it calls are not
 * seen, and its configuration is not in it.
 */
export async function scorerCode(scorer: object): Promise<string> {
  const parts = (scorer as { readonly [PARTS]?: readonly unknown[] })[PARTS] ?? [];
  const text = JSON.stringify([scorerFunction(scorer), ...parts], shown);
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const digits = [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0"));
  return digits.join("").slice(0, 12);
}

function shown(_key: string, value: unknown): unknown {
  return typeof value === "function" || value instanceof RegExp ? String(value) : value;
}
