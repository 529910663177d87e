import type { Issue } from "./config-validation-error.ts";

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

/** Bounds of a number, by the contract's names. */
export interface Bounds {
  readonly ge?: number | undefined;
  readonly le?: number | undefined;
  readonly gt?: number | undefined;
  readonly lt?: number | undefined;
}

interface Described {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** `null` is a value of it, too. */
  readonly isNullable?: boolean | undefined;
}

/** The six kinds of contract 2.4. */
export type ScalarType = Described &
  (
    | {
        readonly kind: "str";
        /** The only `{{variables}}` that the text may have; any, where it is undefined. */
        readonly variables?: readonly string[] | undefined;
      }
    | { readonly kind: "int"; readonly bounds: Bounds }
    | { readonly kind: "float"; readonly bounds: Bounds }
    | { readonly kind: "bool" }
    | { readonly kind: "choice"; readonly choices: readonly string[] }
    | {
        readonly kind: "grouped-choice";
        readonly groups: Readonly<Record<string, readonly string[]>>;
      }
  );

export interface ObjectType extends Described {
  readonly kind: "object";
  readonly fields: readonly ConfigField[];
}

/** Messages are a list of objects, with a control of their own. */
export interface ListType extends Described {
  readonly kind: "list" | "messages";
  readonly items: ConfigType;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
}

/** What a field, or an item of a list, takes. */
export type ConfigType = ScalarType | ObjectType | ListType;

/** One parameter of a configuration, or one member of an object inside of it. */
export type ConfigField = ConfigType & {
  readonly name: string;
  /** What it has where nothing is given; undefined: it is left out then, unless it is required. */
  readonly default: unknown;
  /** It has no default and has to be given: only inside of lists and of objects that are optional. */
  readonly isRequired?: boolean | undefined;
};

export type ConfigFieldKind = ConfigField["kind"];
