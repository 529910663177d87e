/**
 * What `GET /registry/applications/{app}/config` answers: one revision of one variant, and, where it
 * was asked for by environment, which environment it is deployed to.
 */
export interface ResolvedConfig {
  readonly application: { readonly id: string; readonly slug: string };
  readonly variant: { readonly id: string; readonly slug: string; readonly revision: number };
  /** The environment's slug. */
  readonly environment: string | null;
  /** Route path (`/summarize`; the entrypoint is `/`) to its configuration. */
  readonly params: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}
