import type { RouteSchema, ScorerConfigs } from "@agate/protocol";
import type { DeclaredEvaluation } from "@agate/protocol/evaluator";
import {
  type ConfigValues,
  changedFields,
  defaultsOf,
  withDefaults,
} from "../config-form/config-values.ts";

/** A scorer whose configuration can be edited, in the shape that the form of routes takes. */
export interface ScorerForm {
  /** As it was declared. */
  readonly name: string;
  readonly schema: RouteSchema;
}

/** The scorers with a configuration, each once: evaluations can share one. */
export function scorerForms(evaluations: readonly DeclaredEvaluation[]): readonly ScorerForm[] {
  const configs = evaluations.flatMap(({ scorers }) =>
    scorers.flatMap(({ config }) => (config === undefined ? [] : [config])),
  );
  const byName = new Map(configs.map((config) => [config.name, config]));
  return [...byName.values()].map(({ name, fields }) => ({
    name,
    schema: { route: name, config: fields, inputs: {} },
  }));
}

/** What a form shows: the committed values over the code's defaults. */
export function shownValues({ name, schema }: ScorerForm, configs: ScorerConfigs): ConfigValues {
  return withDefaults(schema, Object.hasOwn(configs, name) ? (configs[name] ?? {}) : {});
}

/**
 * The configurations to commit: fields that differ from the code's defaults, so that a changed default
 * reaches the scorers that were not configured otherwise. Those of other scorers stay.
 */
export function committedConfigs(
  before: ScorerConfigs,
  forms: readonly ScorerForm[],
  edited: ScorerConfigs,
): ScorerConfigs {
  const configs: Record<string, ConfigValues> = { ...before };
  for (const form of forms) {
    const values = changedFields(defaultsOf(form.schema), shownValues(form, edited));
    if (Object.keys(values).length > 0) configs[form.name] = values;
    else delete configs[form.name];
  }
  return configs;
}
