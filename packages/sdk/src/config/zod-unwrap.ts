import type { ZodCheck, ZodMeta, ZodNode } from "./zod-node.ts";
import { metaOf } from "./zod-node.ts";

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
