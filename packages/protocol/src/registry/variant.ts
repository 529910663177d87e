/** A named line of configurations: revisions 1, 2, 3 … */
export interface RegistryVariant {
  readonly id: string;
  readonly slug: string;
  readonly created_at: string;
  /** What it was forked from; null where it began by itself. */
  readonly forked_from: VariantRevision | null;
  /** 0 while nothing is committed. */
  readonly latest_revision: number;
}

/** One revision of a variant, by name. */
export interface VariantRevision {
  /** The variant's id. It may have been deleted since. */
  readonly id: string;
  readonly slug: string;
  readonly revision: number;
}
