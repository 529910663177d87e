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
