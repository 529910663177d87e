const ENVIRONMENT = "env:";
const NUMBER = /^[1-9]\d{0,15}$/;

/** Names a revision: `default`, `default@3`, or `env:production` for the one that is live there. */
export type RevisionRef =
  /** `revision` null: the latest. */
  | { readonly kind: "variant"; readonly variant: string; readonly revision: number | null }
  | { readonly kind: "environment"; readonly environment: string };

/**
 * Parses `default`, `default@3`, `default@latest` or `env:production`; undefined for anything else.
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

export function revisionRefText(ref: RevisionRef): string {
  if (ref.kind === "environment") return `${ENVIRONMENT}${ref.environment}`;
  return ref.revision === null ? ref.variant : `${ref.variant}@${ref.revision}`;
}
