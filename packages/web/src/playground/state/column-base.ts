import type { Environment, RegistryVariant } from "@agate/protocol";
import { type ConfigSource, printSource } from "./config-source.ts";
import type { Column, RevisionName } from "./workspace.ts";

/** What the registry knows of an application, as far as the playground needs it. */
export interface KnownConfigs {
  readonly variants: readonly RegistryVariant[];
  readonly environments: readonly Environment[];
}

/** What a column is about: a revision, the schema's defaults (null), or nothing that is there. */
export type ColumnBase =
  | { readonly kind: "known"; readonly base: RevisionName | null }
  | { readonly kind: "missing"; readonly reason: string };

/** A draft stays with what it was made from, whatever is deployed or committed meanwhile. */
export function baseOf({ source, draft }: Column, known: KnownConfigs): ColumnBase {
  return draft === null ? sourceBase(source, known) : { kind: "known", base: draft.base };
}

function sourceBase(source: ConfigSource, { variants, environments }: KnownConfigs): ColumnBase {
  switch (source.kind) {
    case "defaults":
      return { kind: "known", base: null };
    case "variant": {
      const variant = variants.find(({ slug }) => slug === source.variant);
      if (variant === undefined) return missing(`There is no variant ${source.variant}.`);
      return known(variant.slug, variant.latest_revision);
    }
    case "revision":
      return known(source.variant, source.revision);
    case "environment": {
      const found = environments.find(({ slug }) => slug === source.environment);
      if (found === undefined) return missing(`There is no environment ${source.environment}.`);
      if (found.deployment === null) return missing(`Nothing is live in ${source.environment}.`);
      return known(found.deployment.variant.slug, found.deployment.variant.revision);
    }
  }
}

function known(variant: string, revision: number): ColumnBase {
  return { kind: "known", base: { variant, revision } };
}

function missing(reason: string): ColumnBase {
  return { kind: "missing", reason };
}

/** `default@3`; the schema's defaults have a name as well. */
export function revisionTitle(base: RevisionName | null): string {
  if (base === null) return "the schema's defaults";
  return base.revision === 0
    ? `${base.variant} (nothing committed)`
    : printSource({ kind: "revision", ...base });
}

/** A name for a column in sentences and headings. */
export function columnTitle(column: Column, base: RevisionName | null): string {
  if (column.draft !== null) return `Draft of ${revisionTitle(column.draft.base)}`;
  if (column.source.kind === "environment") return column.source.environment;
  return base === null ? "Schema defaults" : revisionTitle(base);
}

/**
 * What one begins with: the variant `default`, else what is live, most of all in production; where
 * nothing is committed, the schema's defaults.
 */
export function firstSource({ variants, environments }: KnownConfigs): ConfigSource {
  const committed = variants.filter(({ latest_revision }) => latest_revision > 0);
  const usual = committed.find(({ slug }) => slug === "default");
  if (usual !== undefined) return pinned({ kind: "variant", variant: usual.slug }, { variants });
  const live = environments.filter(({ deployment }) => deployment !== null);
  const main = live.find(({ slug }) => slug === "production") ?? live[0];
  if (main?.deployment) {
    const { slug: variant, revision } = main.deployment.variant;
    return { kind: "revision", variant, revision };
  }
  const any = committed[0];
  if (any === undefined) return { kind: "defaults" };
  return pinned({ kind: "variant", variant: any.slug }, { variants });
}

/** "The latest" as the revision that is the latest now: a draft needs to know what it is made from. */
export function pinned(
  source: ConfigSource,
  { variants }: Pick<KnownConfigs, "variants">,
): ConfigSource {
  if (source.kind !== "variant") return source;
  const variant = variants.find(({ slug }) => slug === source.variant);
  if (variant === undefined) return source;
  return { kind: "revision", variant: variant.slug, revision: variant.latest_revision };
}
