/** Bounds of a number, by the contract's names. */
export interface Bounds {
  readonly ge?: number | undefined;
  readonly le?: number | undefined;
  readonly gt?: number | undefined;
  readonly lt?: number | undefined;
}

interface FieldOf<Kind extends string, Value> {
  readonly kind: Kind;
  readonly name: string;
  readonly default: Value;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

/** One parameter of a configuration: contract 2.4. */
export type ConfigField =
  | FieldOf<"str", string>
  | (FieldOf<"int", number> & { readonly bounds: Bounds })
  | (FieldOf<"float", number> & { readonly bounds: Bounds })
  | FieldOf<"bool", boolean>
  | (FieldOf<"choice", string> & { readonly choices: readonly string[] })
  | (FieldOf<"grouped-choice", string> & {
      readonly groups: Readonly<Record<string, readonly string[]>>;
    });

export type ConfigFieldKind = ConfigField["kind"];
