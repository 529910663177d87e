import { mergeConfig } from "../json-value.ts";
import { configFaults } from "../registry/config-faults.ts";
import type { ScorerConfigs } from "../registry/scorers-revision.ts";
import { canonicalJson } from "../testsets/row-ids.ts";
import { sha256Hex } from "../testsets/sha256.ts";
import type { ScorerConfiguration, ScorerIdentity } from "./scorer-identity.ts";

export interface ConfiguredScorers {
  /** With the versions that they have with these configurations. */
  readonly scorers: readonly ScorerIdentity[];
  /** Values that do not fit, each as a sentence: `helpful.points: Must be 1 or less (got 2).` */
  readonly faults: readonly string[];
  /** Fields that the code does not have, which it ignores: `helpful.rubrik`. */
  readonly ignored: readonly string[];
}

/** Hex digits of a version. */
const VERSION_DIGITS = 12;
/** Faults of one scorer that are listed. */
const MOST_FAULTS = 20;

/**
 * Puts configurations over the defaults of scorers, and checks them by the scorers' fields. Those of
 * other scorers are left out: a revision has all of an application.
 */
export function configureScorers(
  scorers: readonly ScorerIdentity[],
  configs: ScorerConfigs,
): ConfiguredScorers {
  const faults = new Set<string>();
  const ignored = new Set<string>();
  const configured = scorers.map((scorer) => {
    const { config } = scorer;
    const values = config && valuesOf(configs, config.name);
    if (config === undefined || values === undefined) return scorer;
    let count = 0;
    for (const { path, kind, message } of configFaults(config.fields, values)) {
      const field = [config.name, ...path].join(".");
      if (kind === "unknown") ignored.add(field);
      else faults.add(`${field}: ${message}`);
      count += 1;
      if (count === MOST_FAULTS) break;
    }
    return { ...scorer, version: configuredVersion(config, known(config, values)) };
  });
  return { scorers: configured, faults: [...faults], ignored: [...ignored] };
}

/** The version of a configured scorer: a hash of its function's text and of all values of its fields. */
export function configuredVersion(
  { code, defaults }: Pick<ScorerConfiguration, "code" | "defaults">,
  values: Readonly<Record<string, unknown>> = {},
): string {
  return sha256Hex(canonicalJson([code, mergeConfig(defaults, values)])).slice(0, VERSION_DIGITS);
}

/** What is inherited, such as `constructor`, is no configuration. */
function valuesOf(configs: ScorerConfigs, name: string) {
  return Object.hasOwn(configs, name) ? configs[name] : undefined;
}

/** Without the fields that the code ignores. */
function known({ fields }: ScorerConfiguration, values: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(
    Object.entries(values).filter(([field]) => Object.hasOwn(fields, field)),
  );
}
