import type { ConfigField } from "./config-field.ts";
import type { Issue } from "./issue.ts";

export type ConfigOutcome<Config> =
  | { readonly kind: "valid"; readonly config: Config }
  | { readonly kind: "invalid"; readonly issues: readonly Issue[] };

export interface ParseOptions {
  /**
   * `refuse` finds a typing error in what a person sent. `ignore` is for stored configurations: a
   * revision may have a field that this build does not know yet, or no longer.
   */
  readonly unknownFields: "refuse" | "ignore";
}

/** A configuration schema as everything else sees it, whether it was a BaseModel class or a zod object. */
export interface ConfigSchema<Config> {
  /** The class's name, for messages. */
  readonly name: string;
  readonly fields: readonly ConfigField[];
  /** The declaration it was compiled from. */
  readonly declaration: object;
  /** All defaults, as plain data. */
  readonly defaults: Readonly<Record<string, unknown>>;
  /** Checks any subset of the fields; the others take their defaults. Each config is the caller's own. */
  parse(
    values: unknown,
    options: ParseOptions,
  ): ConfigOutcome<Config> | Promise<ConfigOutcome<Config>>;
}
