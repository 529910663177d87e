/** How one text names a configuration, as the platform and the command line read it. */
export type RevisionRef =
  | { readonly kind: "environment"; readonly environment: string }
  /** Without a revision, the latest. */
  | { readonly kind: "variant"; readonly variant: string; readonly revision: number | null };

/**
 * Reads `default`, `default@3`, `default@latest` or `env:production`; undefined for anything else.
 *
 * @example parseRevisionRef("default@3") // { kind: "variant", variant: "default", revision: 3 }
 */
export function parseRevisionRef(text: string): RevisionRef | undefined {
  const [, environment] = /^env:(.+)$/.exec(text) ?? [];
  if (environment !== undefined) return { kind: "environment", environment };
  const [, variant, revision] = /^([^@:]+)(?:@([1-9]\d{0,14}|latest))?$/.exec(text) ?? [];
  if (variant === undefined) return undefined;
  const isLatest = revision === undefined || revision === "latest";
  return { kind: "variant", variant, revision: isLatest ? null : Number(revision) };
}

export function revisionRefText(ref: RevisionRef): string {
  if (ref.kind === "environment") return `env:${ref.environment}`;
  return ref.revision === null ? ref.variant : `${ref.variant}@${ref.revision}`;
}
