import { scorerConfig, scorerFunction } from "./scorer.ts";

const PARTS = Symbol.for("agate.sdk.scorer-parts");

/**
 * Names what a scorer was made of: the function of every judge has the same text, and differs by its
 * prompt. Returns the scorer.
 */
export function madeOf<F extends object>(scorer: F, ...parts: readonly unknown[]): F {
  return Object.defineProperty(scorer, PARTS, { value: parts });
}

/** A hash of a scorer's configuration and of the text of its function. Helpers that it calls are not seen. */
export async function scorerVersion(scorer: object): Promise<string> {
  const parts = (scorer as { readonly [PARTS]?: readonly unknown[] })[PARTS] ?? [];
  const text = JSON.stringify(
    [scorerFunction(scorer), scorerConfig(scorer)?.defaults ?? null, ...parts],
    shown,
  );
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const digits = [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0"));
  return digits.join("").slice(0, 12);
}

function shown(_key: string, value: unknown): unknown {
  return typeof value === "function" || value instanceof RegExp ? String(value) : value;
}
