import type { StandardSchemaV1 } from "@standard-schema/spec";

/**
 * A zod schema as zod's guide for library authors describes it: the same in zod 4, `zod/mini` and
 * `zod/v4` of 3.25. zod itself is never imported, so that a workflow without it needs none.
 */
export interface ZodNode {
  readonly _zod: {
    readonly def: ZodDefinition;
    /** Of an enum or a literal. */
    readonly values?: ReadonlySet<unknown>;
  };
  readonly "~standard": StandardSchemaV1.Props;
  /** Not in `zod/mini`. */
  readonly meta?: () => unknown;
}

/** A number format, `z.int()`, is a schema and a check in one. */
export interface ZodDefinition extends ZodCheck {
  readonly type: string;
  readonly checks?: readonly { readonly _zod: { readonly def: ZodCheck } }[];
  readonly shape?: Readonly<Record<string, ZodNode>>;
  readonly catchall?: ZodNode;
  readonly options?: readonly ZodNode[];
  readonly innerType?: ZodNode;
  /** Of an array. */
  readonly element?: ZodNode;
  readonly defaultValue?: unknown;
}

export interface ZodCheck {
  readonly check?: string;
  readonly value?: unknown;
  readonly inclusive?: boolean;
  readonly format?: string;
  /** Of the length of an array. */
  readonly minimum?: unknown;
  readonly maximum?: unknown;
  readonly length?: unknown;
}

export type ZodMeta = Readonly<Record<string, unknown>>;

export function isZodNode(value: unknown): value is ZodNode {
  return typeof value === "object" && value !== null && "_zod" in value && "~standard" in value;
}

/** What `.meta()`, `.describe()` or the global registry say about a schema. */
export function metaOf(node: ZodNode): ZodMeta {
  // `zod/mini` has no method for it, but all copies of zod 4 share one registry.
  const { __zod_globalRegistry: registry } = globalThis as {
    __zod_globalRegistry?: { get(node: ZodNode): unknown };
  };
  const meta = typeof node.meta === "function" ? node.meta() : registry?.get(node);
  return Object(meta) as ZodMeta;
}
