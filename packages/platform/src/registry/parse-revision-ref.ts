import type { RevisionRef } from "./registry.ts";

const ENVIRONMENT = "env:";
const NUMBER = /^[1-9]\d{0,15}$/;

/**
 * Reads `default`, `default@3`, `default@latest` or `env:production`; undefined for what is none of
 * them.
 *
 * @example parseRevisionRef("default@3") // { kind: "variant", variant: "default", revision: 3 }
 */
export function parseRevisionRef(text: string): RevisionRef | undefined {
  if (text.startsWith(ENVIRONMENT)) {
    const environment = text.slice(ENVIRONMENT.length);
    return environment === "" ? undefined : { kind: "environment", environment };
  }
  const [variant = "", revision = "latest", ...more] = text.split("@");
  if (variant === "" || more.length > 0) return undefined;
  if (revision === "latest") return { kind: "variant", variant, revision: null };
  const number = NUMBER.test(revision) ? Number(revision) : Number.NaN;
  return Number.isSafeInteger(number) ? { kind: "variant", variant, revision: number } : undefined;
}
