import type { VariantRevision } from "./variant.ts";

/** Route path (`/summarize`; the entrypoint is `/`) to its configuration. */
export type RouteParams = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A configuration of every route. It never changes. */
export interface Revision {
  readonly variant: VariantRevision;
  readonly params: RouteParams;
  readonly message: string;
  /** Who committed it: the name of a key, or `local`. */
  readonly created_by: string;
  readonly created_at: string;
  /** The environments where it is live. */
  readonly environments: readonly string[];
}

/** A revision in a list: its parameters are left out. */
export type ListedRevision = Omit<Revision, "params">;
