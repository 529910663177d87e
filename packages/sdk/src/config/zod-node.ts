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

const WRAPPERS: ReadonlySet<string> = new Set([
  "default",
  "prefault",
  "optional",
  "nonoptional",
  "nullable",
  "readonly",
]);

/** A field of a zod object, with what was wrapped around it. */
export interface UnwrappedField {
  readonly inner: ZodNode;
  /** Undefined where no wrapper has a default. */
  readonly default: unknown;
  readonly isNullable: boolean;
  readonly isOptional: boolean;
  readonly checks: readonly ZodCheck[];
  readonly meta: ZodMeta;
}

/** The outermost default and the outermost metadata count, as they do for zod. */
export function unwrapField(field: ZodNode): UnwrappedField {
  let inner = field;
  let defaultValue: unknown;
  let isNullable = false;
  let isOptional: boolean | undefined;
  let meta = metaOf(inner);
  const checks = checksOf(inner);
  for (;;) {
    const { type, defaultValue: ownDefault } = inner._zod.def;
    const next = innerOf(inner);
    if (next === undefined) break;
    if (defaultValue === undefined) defaultValue = ownDefault;
    isNullable ||= type === "nullable" || type === "union";
    // The outermost of `optional` and `nonoptional` counts.
    if (type === "optional" || type === "nonoptional") isOptional ??= type === "optional";
    inner = next;
    meta = { ...metaOf(inner), ...meta };
    checks.push(...checksOf(inner));
  }
  isNullable ||= inner._zod.def.type === "union" && inner._zod.def.options?.some(isNull) === true;
  return {
    inner,
    default: defaultValue,
    isNullable,
    isOptional: isOptional === true,
    checks,
    meta,
  };
}

function innerOf({ _zod: { def } }: ZodNode): ZodNode | undefined {
  if (WRAPPERS.has(def.type)) return def.innerType;
  // `z.union([z.string(), z.null()])` is another way to write nullable.
  const options = def.type === "union" ? (def.options ?? []) : [];
  const others = options.filter((option) => !isNull(option));
  return others.length === 1 && options.length > 1 ? others[0] : undefined;
}

export function isNull({ _zod: { def } }: ZodNode): boolean {
  return def.type === "null";
}

function checksOf(node: ZodNode): ZodCheck[] {
  return (node._zod.def.checks ?? []).map((check) => check._zod.def);
}
