import type { Environment, RegistryVariant } from "@agate/protocol";
import { type ConfigSource, printSource } from "./config-source.ts";
import type { Column, RevisionName } from "./workspace.ts";

/** The variants and environments of an application. */
export interface KnownConfigs {
  readonly variants: readonly RegistryVariant[];
  readonly environments: readonly Environment[];
}

/** What a column is based on: a revision, the schema defaults (null), or something that does not exist. */
export type ColumnBase =
  | { readonly kind: "known"; readonly base: RevisionName | null }
  | { readonly kind: "missing"; readonly reason: string };

/** A draft keeps its base, even if another revision is committed or deployed. */
export function baseOf({ source, draft }: Column, known: KnownConfigs): ColumnBase {
  return draft === null ? sourceBase(source, known) : { kind: "known", base: draft.base };
}

function sourceBase(source: ConfigSource, { variants, environments }: KnownConfigs): ColumnBase {
  switch (source.kind) {
    case "defaults":
      return { kind: "known", base: null };
    case "variant": {
      const variant = variants.find(({ slug }) => slug === source.variant);
      if (variant === undefined) return missing(`No variant “${source.variant}”.`);
      return known(variant.slug, variant.latest_revision);
    }
    case "revision":
      return known(source.variant, source.revision);
    case "environment": {
      const found = environments.find(({ slug }) => slug === source.environment);
      if (found === undefined) return missing(`No environment “${source.environment}”.`);
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

/** @example revisionTitle({ variant: "default", revision: 3 }) // "default@3" */
export function revisionTitle(base: RevisionName | null): string {
  if (base === null) return "the schema defaults";
  return base.revision === 0
    ? `${base.variant} (no revisions)`
    : printSource({ kind: "revision", ...base });
}

/** The name of a column in headings. */
export function columnTitle(column: Column, base: RevisionName | null): string {
  if (column.draft !== null) return `Draft of ${revisionTitle(column.draft.base)}`;
  if (column.source.kind === "environment") return column.source.environment;
  return base === null ? "Schema defaults" : revisionTitle(base);
}

/**
 * What the first column shows: the variant `default`, else what is live, preferably in the default
 * environment, else any committed variant, else the schema defaults.
 */
export function firstSource({ variants, environments }: KnownConfigs): ConfigSource {
  const committed = variants.filter(({ latest_revision }) => latest_revision > 0);
  const usual = committed.find(({ slug }) => slug === "default");
  if (usual !== undefined) return pinned({ kind: "variant", variant: usual.slug }, { variants });
  const live = environments.filter(({ deployment }) => deployment !== null);
  const main = live.find(({ is_default }) => is_default) ?? live[0];
  if (main?.deployment) {
    const { slug: variant, revision } = main.deployment.variant;
    return { kind: "revision", variant, revision };
  }
  const any = committed[0];
  if (any === undefined) return { kind: "defaults" };
  return pinned({ kind: "variant", variant: any.slug }, { variants });
}

/** Replaces "the latest revision" by its number: a draft needs a fixed base. */
export function pinned(
  source: ConfigSource,
  { variants }: Pick<KnownConfigs, "variants">,
): ConfigSource {
  if (source.kind !== "variant") return source;
  const variant = variants.find(({ slug }) => slug === source.variant);
  if (variant === undefined) return source;
  return { kind: "revision", variant: variant.slug, revision: variant.latest_revision };
}
