import type { ResolvedConfig } from "@agate/protocol";

/** Which configuration is wanted: what an environment has deployed, or a variant (its latest revision, or a given one). */
export type ConfigReference = (
  | { readonly by: "environment"; readonly application: string; readonly environment: string }
  | {
      readonly by: "variant";
      readonly application: string;
      readonly variant: string;
      readonly revision: number | null;
    }
) & {
  /** The route it is wanted for. The answer is the same for all routes; reasons can name it. */
  readonly route?: string | undefined;
};

/** The application of an app without a name. */
export const UNNAMED_APPLICATION = "default";

export type ConfigResolution =
  /** `stale`: the registry could not be asked, this is what it last said. */
  | { readonly kind: "resolved"; readonly resolved: ResolvedConfig; readonly stale: boolean }
  | { readonly kind: "not-found"; readonly reason: string }
  | { readonly kind: "unavailable"; readonly reason: string };

/** Where deployed endpoints get their configuration from. */
export interface ConfigSource {
  /** Answers from memory where it can: it is on the path of every deployed call. */
  resolve(reference: ConfigReference): ConfigResolution | Promise<ConfigResolution>;
  /**
   * Called when the app begins to serve: from now on the source may hold connections open to hear of
   * changes. Before, it would keep a script from ending. May be called again.
   */
  startLiveUpdates?(): void;
  close(): Promise<void>;
}

const NOTHING: Readonly<Record<string, unknown>> = Object.freeze({});

/** A route's configuration in a revision; empty, so all defaults, where the revision does not mention it. */
export function configOfRoute(
  resolved: Pick<ResolvedConfig, "params">,
  route: string,
): Readonly<Record<string, unknown>> {
  // `hasOwn`: what a JSON document inherits is none of its contents.
  return (Object.hasOwn(resolved.params, route) ? resolved.params[route] : undefined) ?? NOTHING;
}
