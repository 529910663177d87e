import type { FieldValues } from "../config/base-model.ts";
import { compileConfig } from "../config/compile-config.ts";
import type {
  ConfigDeclaration,
  EveryFieldDefaults,
  InferConfig,
} from "../config/config-declaration.ts";
import type { ConfigSchema } from "../config/config-schema.ts";
import { ConfigValidationError } from "../config/config-validation-error.ts";
import { DeclarationError } from "../config/declaration-error.ts";
import type { ScorerReturn } from "./scorer-result.ts";
import type { ScorerCall } from "./scorer-types.ts";
import { slugFault } from "./slug-fault.ts";

const CONFIG = Symbol.for("agate.sdk.scorer-config");
const FUNCTION = Symbol.for("agate.sdk.scorer-function");

/** What the function of a configured scorer is given beside what it judges. */
export interface ConfiguredCall<Config> extends ScorerCall {
  /** Checked; the function's own copy. */
  readonly config: Config;
}

/** A scorer with a configuration: still a function, called with its defaults unless told otherwise. */
export interface ConfiguredScorer<Judges, Config> {
  (
    judged: Judges,
    call: ScorerCall & { readonly config?: FieldValues<Config> | undefined },
  ): Promise<ScorerReturn>;
  /** The name of its configuration among the revisions of the line `scorers`. */
  readonly scorerName: string;
  /** The schema of its configuration. */
  readonly [CONFIG]: ConfigSchema<Config>;
}

/**
 * Declares a scorer with a configuration, which can be tuned and versioned like that of a route.
 *
 * @throws DeclarationError that says what to write.
 *
 * @example
 * const helpful = scorer("helpful", HelpfulConfig)(
 *   async ({ inputs, output }: Judged<typeof answer>, { config, signal }) => …,
 * );
 */
export function scorer<Declaration extends ConfigDeclaration>(
  name: string,
  config: Declaration & EveryFieldDefaults<Declaration>,
): <Judges>(
  judge: (
    judged: Judges,
    call: ConfiguredCall<InferConfig<Declaration>>,
  ) => ScorerReturn | Promise<ScorerReturn>,
) => ConfiguredScorer<Judges, InferConfig<Declaration>> {
  const fault = slugFault(name);
  if (fault !== null) throw new DeclarationError(`The scorer ${JSON.stringify(name)}: ${fault}`);
  const schema = compileConfig<Declaration>(config);
  return (judge) => {
    type Judges = Parameters<typeof judge>[0];
    const run = async (
      judged: Judges,
      { signal, config: values }: ScorerCall & { readonly config?: unknown },
    ) => judge(judged, { signal, config: await parsed(schema, values ?? {}) });
    return Object.assign(run, { scorerName: name, [CONFIG]: schema, [FUNCTION]: judge } as const);
  };
}

async function parsed<Config>(schema: ConfigSchema<Config>, values: unknown): Promise<Config> {
  // A stored revision may have a field that this code does not know yet, or no longer.
  const outcome = await schema.parse(values, { unknownFields: "ignore" });
  if (outcome.kind === "valid") return outcome.config;
  throw new ConfigValidationError(schema.name, outcome.issues);
}

/** The schema of a scorer's configuration; undefined for a scorer without one. */
export function scorerConfig(given: unknown): ConfigSchema<unknown> | undefined {
  if (typeof given !== "function" || !(CONFIG in given)) return undefined;
  return given[CONFIG] as ConfigSchema<unknown>;
}

/** The function that its author wrote; of a scorer without a configuration it is the scorer. */
export function scorerFunction(given: object): unknown {
  return (given as { readonly [FUNCTION]?: unknown })[FUNCTION] ?? given;
}
