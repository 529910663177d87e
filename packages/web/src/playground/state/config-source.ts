/** What a column is based on, before it is edited. */
export type ConfigSource =
  | { readonly kind: "defaults" }
  /** The latest revision at the time the page is opened. */
  | { readonly kind: "variant"; readonly variant: string }
  | { readonly kind: "revision"; readonly variant: string; readonly revision: number }
  | { readonly kind: "environment"; readonly environment: string };

/** Slugs contain no colon, so no variant has this name. */
const DEFAULTS = "schema:defaults";

/**
 * The notation of the command line and the registry: `default`, `default@3`, `env:production`.
 *
 * @example printSource({ kind: "revision", variant: "default", revision: 3 }) // "default@3"
 */
export function printSource(source: ConfigSource): string {
  switch (source.kind) {
    case "defaults":
      return DEFAULTS;
    case "variant":
      return source.variant;
    case "revision":
      return `${source.variant}@${source.revision}`;
    case "environment":
      return `env:${source.environment}`;
  }
}

/** Null for an invalid text. */
export function parseSource(text: string): ConfigSource | null {
  if (text === DEFAULTS) return { kind: "defaults" };
  const environment = /^env:([a-z0-9][a-z0-9._-]*)$/.exec(text)?.[1];
  if (environment !== undefined) return { kind: "environment", environment };
  const [, variant, revision] = /^([a-z0-9][a-z0-9._-]*)(?:@(\d{1,9}))?$/.exec(text) ?? [];
  if (variant === undefined) return null;
  if (revision === undefined) return { kind: "variant", variant };
  return { kind: "revision", variant, revision: Number(revision) };
}
