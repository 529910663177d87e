/** The configuration of one field, as the workflow's own `/openapi.json` has it. */
export interface ConfigFieldSchema {
  readonly type: "string" | "integer" | "number" | "boolean";
  readonly default: unknown;
  readonly title?: string;
  readonly description?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly exclusiveMaximum?: number;
  readonly enum?: readonly string[];
  /** How the playground shows it. */
  readonly "x-ag-control": string;
  /** The `enum` by group; a choice may be in several. */
  readonly "x-ag-groups"?: Readonly<Record<string, readonly string[]>>;
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
