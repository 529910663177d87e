export type ConfigFieldType = "string" | "integer" | "number" | "boolean" | "object" | "array";

/** The schema of one field of a configuration, as the workflow's own `/openapi.json` has it. */
export interface ConfigFieldSchema {
  /** With `"null"` beside it where `null` is a value of the field, too. */
  readonly type: ConfigFieldType | readonly [ConfigFieldType, "null"];
  /** Without one the field is left out where nothing is given, unless its object requires it. */
  readonly default?: unknown;
  readonly title?: string;
  readonly description?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly exclusiveMaximum?: number;
  readonly enum?: readonly (string | null)[];
  readonly pattern?: string;
  /** Of an object: its fields, in the order of their declaration. */
  readonly properties?: Readonly<Record<string, ConfigFieldSchema>>;
  /** Of an object: the fields without a default that have to be given. */
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
  /** Of a list. */
  readonly items?: ConfigFieldSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  /** How the playground shows it. */
  readonly "x-ag-control": string;
  /** The `enum` by group; a choice may be in several. */
  readonly "x-ag-groups"?: Readonly<Record<string, readonly string[]>>;
  /** The only `{{variables}}` that a text may have. */
  readonly "x-ag-variables"?: readonly string[];
}

/** What the platform knows about a route. */
export interface RouteSchema {
  /** As it was declared: `/summarize`; the entrypoint is `/`. */
  readonly route: string;
  /** Field → schema, in the order of their declaration. */
  readonly config: Readonly<Record<string, ConfigFieldSchema>>;
  /** JSON Schema of the inputs, references resolved against `components` of the document. */
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** `GET /registry/applications/{app}/schema`. */
export interface ApplicationSchema {
  readonly routes: readonly RouteSchema[];
  /** When a workflow last told. */
  readonly updated_at: string;
}

/** The field's type beside `null`. */
export function fieldType({ type }: Pick<ConfigFieldSchema, "type">): ConfigFieldType {
  return typeof type === "string" ? type : type[0];
}

export function isNullable({ type }: Pick<ConfigFieldSchema, "type">): boolean {
  return typeof type !== "string";
}
