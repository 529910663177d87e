import type { ConfigDeclaration, InferConfig } from "../config/config-declaration.ts";

/** A configuration without a schema: the caller's own copy. */
export type PlainConfig = Record<string, unknown>;

export interface FromRouteOptions<Schema = undefined> {
  /** A class derived from `ag.BaseModel`, or a zod object. */
  readonly schema?: Schema;
}

export interface FromRegistryOptions<Schema = undefined> extends FromRouteOptions<Schema> {
  /** Slug of the application; this app where not given. */
  readonly application?: string | undefined;
  /** What is deployed to this environment. */
  readonly environment?: string | undefined;
  /** This variant instead: its latest revision, or `revision`. */
  readonly variant?: string | undefined;
  readonly revision?: number | undefined;
  /** Path of the route; the route that is running where not given. */
  readonly route?: string | undefined;
}

export interface FromFileOptions<Schema = undefined> extends FromRouteOptions<Schema> {
  /** Without it: `AGATE_CONFIG_FILE`, or `agate.config.json` in the working directory. */
  readonly path?: string | undefined;
  readonly environment?: string | undefined;
  readonly variant?: string | undefined;
  readonly route?: string | undefined;
}

/**
 * Reads configurations. With a schema each method gives an instance of it, in which missing fields
 * have their defaults; without one a plain dictionary.
 *
 * All reject with `ConfigNotFoundError` where there is no such configuration, `ConfigUnavailableError`
 * where it could not be asked for, and `ConfigValidationError` where it breaks the schema.
 *
 * @example
 * const config = await ag.ConfigManager.getFromRoute({ schema: SummarizeConfig });
 * config.temperature; // number
 */
export interface ConfigManager {
  /**
   * The configuration of the route that is running: from the routing context where it holds one, else
   * from the registry by the application, variant or environment that the context names, else what
   * this app's environment has deployed.
   */
  getFromRoute<Schema extends ConfigDeclaration>(
    options: Required<FromRouteOptions<Schema>>,
  ): Promise<InferConfig<Schema>>;
  getFromRoute(options?: FromRouteOptions): Promise<PlainConfig>;

  /** The configuration that the registry has, whatever the routing context says. */
  getFromRegistry<Schema extends ConfigDeclaration>(
    options: FromRegistryOptions<Schema> & { readonly schema: Schema },
  ): Promise<InferConfig<Schema>>;
  getFromRegistry(options?: FromRegistryOptions): Promise<PlainConfig>;

  /** The configuration in a file: see `docs/reference/config-file.md`. */
  getFromFile<Schema extends ConfigDeclaration>(
    options: FromFileOptions<Schema> & { readonly schema: Schema },
  ): Promise<InferConfig<Schema>>;
  getFromFile(options?: FromFileOptions): Promise<PlainConfig>;

  /** The contract's spelling of `getFromRoute`. */
  readonly get_from_route: ConfigManager["getFromRoute"];
  readonly get_from_registry: ConfigManager["getFromRegistry"];
  readonly get_from_file: ConfigManager["getFromFile"];
}
