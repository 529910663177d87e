import { compileConfig } from "../config/compile-config.ts";
import type { ConfigDeclaration, InferConfig } from "../config/config-declaration.ts";
import { ConfigValidationError } from "../config/config-validation-error.ts";
import { copyData } from "../config/copy-data.ts";
import type { RoutingContext } from "../context/routing-context.ts";
import { nestedRouting, routingContext } from "../context/routing-context.ts";
import { type OptionNames, unknownOption } from "../runtime/unknown-option.ts";
import { resolvedOrThrow } from "./config-errors.ts";
import type { ConfigSource } from "./config-source.ts";
import { configOfRoute } from "./config-source.ts";
import { referenceOf } from "./reference-of.ts";

export interface ConfigManagerDependencies {
  /** Where deployed endpoints get their configuration from. */
  readonly source: () => ConfigSource;
  /** A file of configurations; without a path the one at its usual place. Asked once for each path. */
  readonly file: (path: string | undefined) => ConfigSource;
  /** Slug of this app. */
  readonly application: () => string;
  /** The environment that this app runs in. */
  readonly environment: () => string;
  /** Path of the route that is running. */
  readonly currentRoute: () => string | undefined;
  /** Paths of the routes that were declared with a schema. */
  readonly routesOf: (schema: object) => readonly string[];
}

type Options = FromRegistryOptions<ConfigDeclaration | undefined>;

/** Makes the object behind `ag.ConfigManager`. */
export function createConfigManager(dependencies: ConfigManagerDependencies): ConfigManager {
  const files = new Map<string | undefined, ConfigSource>();

  async function getFromRoute(
    options: FromRouteOptions<ConfigDeclaration | undefined> = {},
  ): Promise<unknown> {
    checkNames("getFromRoute", options, { schema: true });
    const context = routingContext();
    if (context.config !== undefined) return filled(options.schema, context.config);
    return resolved(dependencies.source(), context, options);
  }

  async function getFromRegistry(options: Options = {}): Promise<unknown> {
    checkNames("getFromRegistry", options, REGISTRY_OPTIONS);
    return resolved(dependencies.source(), contextWith(options), options);
  }

  async function getFromFile(
    options: FromFileOptions<ConfigDeclaration | undefined> = {},
  ): Promise<unknown> {
    checkNames("getFromFile", options, FILE_OPTIONS);
    let file = files.get(options.path);
    if (file === undefined) {
      file = dependencies.file(options.path);
      files.set(options.path, file);
    }
    return resolved(file, contextWith(options), options);
  }

  async function resolved(
    source: ConfigSource,
    context: RoutingContext,
    options: Pick<Options, "route" | "schema">,
  ): Promise<unknown> {
    const route = routeFor(options);
    const reference = { ...referenceOf(context, dependencies), route };
    const resolved = resolvedOrThrow(reference, await source.resolve(reference));
    return filled(options.schema, configOfRoute(resolved, route));
  }

  function routeFor({ route, schema }: Pick<Options, "route" | "schema">): string {
    const given = route ?? dependencies.currentRoute();
    if (given !== undefined) return given;
    const declared = schema === undefined ? [] : dependencies.routesOf(schema);
    if (declared.length === 0 || declared.includes("/")) return "/";
    if (declared.length === 1) return declared[0]!;
    throw new TypeError(
      `No route is running, and the schema belongs to several (${declared.join(", ")}): say which one is meant, as in getFromRegistry({ schema, route: ${JSON.stringify(declared[0])} }).`,
    );
  }

  // The implementation of an overload cannot be written as one arrow function: its type is checked here.
  const manager = { getFromRoute, getFromRegistry, getFromFile } as Pick<
    ConfigManager,
    "getFromRoute" | "getFromRegistry" | "getFromFile"
  >;
  return {
    ...manager,
    get_from_route: manager.getFromRoute,
    get_from_registry: manager.getFromRegistry,
    get_from_file: manager.getFromFile,
  };
}

const REGISTRY_OPTIONS: OptionNames<FromRegistryOptions> = {
  schema: true,
  application: true,
  environment: true,
  variant: true,
  revision: true,
  route: true,
};

const FILE_OPTIONS: OptionNames<FromFileOptions> = {
  schema: true,
  path: true,
  environment: true,
  variant: true,
  route: true,
};

function checkNames(
  method: keyof ConfigManager,
  options: object,
  known: Readonly<Record<string, true>>,
): void {
  const unknown = unknownOption(`ConfigManager.${method}()`, options, known);
  if (unknown !== null) throw new TypeError(unknown);
}

/** What the block says, with what the caller named in its place. */
function contextWith(options: Options): RoutingContext {
  const { application, environment, variant, revision } = options;
  if (environment !== undefined && variant !== undefined) {
    throw new TypeError(
      "A configuration is asked for by environment or by variant: leave one of the two out.",
    );
  }
  if (revision !== undefined && variant === undefined) {
    throw new TypeError(
      'A revision is one of a variant: name the variant too, as in { variant: "concise", revision: 3 }.',
    );
  }
  return nestedRouting(routingContext(), {
    application: application === undefined ? undefined : { slug: application },
    environment: environment === undefined ? undefined : { slug: environment },
    variant: variant === undefined ? undefined : { slug: variant, revision },
  });
}

async function filled(
  schema: ConfigDeclaration | undefined,
  values: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  if (schema === undefined) return copyData(values);
  const compiled = compileConfig(schema);
  const outcome = await compiled.parse(values, { unknownFields: "ignore" });
  if (outcome.kind === "valid") return outcome.config;
  throw new ConfigValidationError(compiled.name, outcome.issues);
}

/** A configuration without a schema: the caller's own copy. */
export type PlainConfig = Record<string, unknown>;

interface FromRouteOptions<Schema = undefined> {
  /** A class derived from `ag.BaseModel`, or a zod object. */
  readonly schema?: Schema;
}

interface FromRegistryOptions<Schema = undefined> extends FromRouteOptions<Schema> {
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

interface FromFileOptions<Schema = undefined> extends FromRouteOptions<Schema> {
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

  /** The configuration in the registry. Ignores the routing context. */
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
