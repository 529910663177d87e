/** A workflow that the registry knows: what its variants, environments and builds belong to. */
export interface Application {
  readonly id: string;
  readonly slug: string;
  /** ISO 8601. */
  readonly created_at: string;
  /** The paths of its routes, as its schema has them; null while no schema is known. */
  readonly routes: readonly string[] | null;
  /** The number of the build that serves it; null while none does. */
  readonly build: number | null;
}
