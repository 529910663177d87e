import { InvalidArgumentError } from "commander";

/** A variant, and one of its revisions. */
export interface VariantRef {
  readonly variant: string;
  /** Null is the latest. */
  readonly revision: number | null;
}

/** @example parseVariantRef("default@3") // { variant: "default", revision: 3 } */
export function parseVariantRef(text: string): VariantRef {
  const [, variant = "", revision] = /^([^@]+)(?:@(\d+|latest))?$/.exec(text) ?? [];
  if (variant === "" || revision === "0") {
    throw new InvalidArgumentError("Write a variant, or one of its revisions: default, default@3.");
  }
  return {
    variant,
    revision: revision === undefined || revision === "latest" ? null : Number(revision),
  };
}

/** @example formatRevision({ slug: "default", revision: 3 }) // "default@3" */
export function formatRevision(variant: {
  readonly slug: string;
  readonly revision: number;
}): string {
  return `${variant.slug}@${variant.revision}`;
}
