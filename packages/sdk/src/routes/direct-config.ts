import type { ResolvedConfig } from "@agate/protocol";
import { isRecord, mergeConfig } from "@agate/protocol";
import type { ConfigField, ConfigOutcome, ConfigType } from "../config/config-schema.ts";
import { ConfigValidationError } from "../config/config-validation-error.ts";
import { describedReference, resolvedOrThrow } from "../config-source/config-errors.ts";
import {
  type ConfigSource,
  configOfRoute,
  UNNAMED_APPLICATION,
} from "../config-source/config-source.ts";
import { referenceOf } from "../config-source/reference-of.ts";
import type { Identity } from "../context/call-state.ts";
import type { Dictionary, RoutingContext } from "../context/routing-context.ts";
import type { RouteDefinition } from "./route-table.ts";
import type { CurrentCall } from "./running-call.ts";

/** What a direct call needs of the app that its route was declared on. */
export interface ConfiguringApp {
  readonly application: string | null;
  readonly environment: string;
  readonly configSource: ConfigSource;
}

/** Where a direct call is made. */
export interface DirectCallSite {
  readonly route: RouteDefinition;
  /** The call around it. */
  readonly outer: CurrentCall | undefined;
  readonly routing: RoutingContext;
  /** The configuration that the caller gave: any subset. */
  readonly given: unknown;
  /** Whether the function is async, so that its caller awaits it anyway. */
  readonly canWait: boolean;
}

/** The configuration of a direct call. */
export interface DirectConfig {
  readonly config: object;
  /** False where neither the caller nor the code around it has configured the call: it has the defaults. */
  readonly isConfigured: boolean;
  /** The configurations of all routes in the call's revision. */
  readonly params: ResolvedConfig["params"] | null;
  /** Of the revision that was resolved for this call; undefined where it has that of the call around it. */
  readonly identity: Identity | undefined;
}

interface Inherited extends Omit<DirectConfig, "config" | "isConfigured"> {
  readonly values: Dictionary | undefined;
}

/**
 * The configuration of a direct call: that of the routing context around it; inside another call, its
 * own of the same revision; in a block that names an environment or a variant, what that has; else the
 * defaults. What the caller gave is merged over it, field by field, and lists replace lists.
 *
 * @throws Error where it would have to be waited for, and the function is not async.
 */
export function directConfig(
  app: ConfiguringApp,
  site: DirectCallSite,
): DirectConfig | Promise<DirectConfig> {
  const inherited = inheritedConfig(app, site);
  return inherited instanceof Promise
    ? inherited.then((settled) => filled(site, settled))
    : filled(site, inherited);
}

function inheritedConfig(
  app: ConfiguringApp,
  site: DirectCallSite,
): Inherited | Promise<Inherited> {
  const { route, outer, routing } = site;
  const params = outer?.params ?? null;
  if (routing.config !== undefined) {
    // Another configuration than the call's own is that of a block inside the call.
    const isOfCall = routing.config === outer?.config && route.path !== outer.route;
    const values = isOfCall ? configOfRoute({ params: params ?? {} }, route.path) : routing.config;
    return { values, params, identity: undefined };
  }
  const { application, variant, environment } = routing;
  if (application === undefined && variant === undefined && environment === undefined) {
    return { values: undefined, params, identity: undefined };
  }
  return fromSource(app, site);
}

function fromSource(
  app: ConfiguringApp,
  { route, outer, routing, canWait }: DirectCallSite,
): Inherited | Promise<Inherited> {
  const named = referenceOf(routing, {
    application: () => app.application ?? UNNAMED_APPLICATION,
    environment: () => app.environment,
  });
  const reference = { ...named, route: route.path };
  const resolving = (outer?.configSource ?? app.configSource).resolve(reference);
  const use = (resolution: Awaited<typeof resolving>): Inherited => {
    const resolved = resolvedOrThrow(reference, resolution);
    return {
      values: configOfRoute(resolved, route.path),
      params: resolved.params,
      identity: {
        application: app.application ?? resolved.application.slug,
        variantId: resolved.variant.id,
        variantName: resolved.variant.slug,
        revision: resolved.variant.revision,
        environment: resolved.environment,
      },
    };
  };
  if (!(resolving instanceof Promise)) return use(resolving);
  if (canWait) return resolving.then(use);
  resolving.catch(() => {
    // The caller is told below that it has to wait; the next call reports what failed.
  });
  throw new Error(
    `The route ${route.path} was called for ${describedReference(reference)}, whose configuration is not loaded yet, and its function is not async, so it cannot wait for it. Make the function async, or load the configuration before: await ag.ConfigManager.getFromRoute().`,
  );
}

function filled(
  { route, given, canWait }: DirectCallSite,
  { values, params, identity }: Inherited,
): DirectConfig | Promise<DirectConfig> {
  const schema = route.config;
  const parsing =
    given === undefined
      ? schema.parse(values ?? {}, { unknownFields: "ignore" })
      : // A field that the caller has misspelt would be ignored without a word.
        schema.parse(mergeConfig<unknown>(knownValues(schema.fields, values ?? {}), given), {
          unknownFields: "refuse",
        });
  const isConfigured = given !== undefined || values !== undefined;
  const use = (outcome: ConfigOutcome<object>): DirectConfig => {
    if (outcome.kind === "valid") return { config: outcome.config, isConfigured, params, identity };
    throw new ConfigValidationError(schema.name, outcome.issues);
  };
  if (!(parsing instanceof Promise)) return use(parsing);
  if (canWait) return parsing.then(use);
  parsing.catch(() => {
    // As above.
  });
  throw new Error(
    `${schema.name} has checks that are async, so its route ${route.path} cannot be called directly while its function is not. Make the function async, or call it over HTTP, with createClient().`,
  );
}

/** Without fields that a revision has and this build does not know, at every level. */
function knownValues(
  fields: readonly ConfigField[],
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const known = fields.filter(({ name }) => Object.hasOwn(values, name));
  return Object.fromEntries(
    known.map((field) => [field.name, knownValue(field, values[field.name])]),
  );
}

function knownValue(type: ConfigType, value: unknown): unknown {
  if (type.kind === "object" && isRecord(value)) return knownValues(type.fields, value);
  const isList = (type.kind === "list" || type.kind === "messages") && Array.isArray(value);
  return isList ? value.map((item) => knownValue(type.items, item)) : value;
}
