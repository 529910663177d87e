import type { ConfigField, ConfigFieldKind } from "./config-field.ts";
import { DeclarationError } from "./declaration-error.ts";
import { declaredField } from "./declared-field.ts";
import { zodBounds } from "./zod-bounds.ts";
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

const EXAMPLES: Readonly<Record<ConfigFieldKind, string>> = {
  str: 'z.string().default("...")',
  int: "z.int().default(0)",
  float: "z.number().default(0.5)",
  bool: "z.boolean().default(false)",
  choice: 'z.enum(["a", "b"]).default("a")',
  "grouped-choice": 'z.string().meta({ groups: { A: ["a"], B: ["b"] } }).default("a")',
};

/** @throws DeclarationError that says which field is declared wrongly and what to write. */
export function zodField(owner: string, name: string, node: ZodNode): ConfigField {
  const fail = (message: string) => new DeclarationError(`${owner}.${name}: ${message}`);
  // zod leaves such a key out of what it returns.
  if (name === "__proto__") throw fail("zod ignores a key of this name. Choose another.");
  const unwrapped = unwrapField(node);
  const field = declaredField(
    { owner, name, example: (kind) => `${name}: ${EXAMPLES[kind]}` },
    {
      type: typeOf(unwrapped, fail),
      options: {
        default: unwrapped.default,
        title: unwrapped.meta.title,
        description: unwrapped.meta.description,
        ...zodBounds(unwrapped.inner, unwrapped.checks),
      },
    },
  );
  const problem = defaultProblem(node, unwrapped);
  if (problem !== undefined) {
    throw fail(`Its own default is not valid. ${problem} Choose a default that it takes.`);
  }
  return field;
}

/** A field of a zod object, with what was wrapped around it. */
interface UnwrappedField {
  readonly inner: ZodNode;
  /** Undefined where no wrapper has a default. */
  readonly default: unknown;
  readonly checks: readonly ZodCheck[];
  readonly meta: ZodMeta;
}

/** The outermost default and the outermost metadata count, as they do for zod. */
function unwrapField(field: ZodNode): UnwrappedField {
  let inner = field;
  let defaultValue: unknown;
  let meta = metaOf(inner);
  const checks = checksOf(inner);
  for (;;) {
    const { type, innerType, defaultValue: ownDefault } = inner._zod.def;
    if (!WRAPPERS.has(type) || innerType === undefined) break;
    if (defaultValue === undefined) defaultValue = ownDefault;
    inner = innerType;
    meta = { ...metaOf(inner), ...meta };
    checks.push(...checksOf(inner));
  }
  return { inner, default: defaultValue, checks, meta };
}

function checksOf(node: ZodNode): ZodCheck[] {
  return (node._zod.def.checks ?? []).map((check) => check._zod.def);
}

function typeOf({ inner, checks, meta }: UnwrappedField, fail: (message: string) => Error) {
  const { type, format } = inner._zod.def;
  const choices = choicesOf(inner);
  if (meta.groups !== undefined && (choices !== undefined || type === "string")) {
    const grouped = Object.values(Object(meta.groups) as object).flat();
    if (choices !== undefined && !isSameSet(choices, grouped)) {
      throw fail("Its groups hold other choices than its enum. List the same ones in both.");
    }
    return { kind: "grouped-choice", choices: meta.groups };
  }
  if (choices !== undefined) return { kind: "choice", choices };
  switch (type) {
    case "string":
      return { kind: "str" };
    case "boolean":
      return { kind: "bool" };
    case "number": {
      const formats = [format, ...checks.map((check) => check.format)];
      return { kind: formats.some((name) => name?.includes("int")) ? "int" : "float" };
    }
    default:
      throw fail(
        `A field cannot be a zod ${type}. Write z.string(), z.int(), z.number(), z.boolean(), z.enum([...]), or a string with .meta({ groups: {...} }), each with .default(...).`,
      );
  }
}

/** The values of an enum, a literal or a union of these; undefined for anything else. */
function choicesOf(node: ZodNode): readonly unknown[] | undefined {
  const { def, values } = node._zod;
  switch (def.type) {
    case "enum":
    case "literal":
      return [...(values ?? [])];
    case "union": {
      const options = (def.options ?? []).map(choicesOf);
      const isChoice = options.every((choices) => choices !== undefined);
      return isChoice ? [...new Set(options.flat())] : undefined;
    }
    default:
      return undefined;
  }
}

function isSameSet(left: readonly unknown[], right: readonly unknown[]): boolean {
  return (
    left.every((value) => right.includes(value)) && right.every((value) => left.includes(value))
  );
}

/** What zod's own checks, such as `.min(1)` of a string, say about a default: zod itself never asks. */
function defaultProblem(node: ZodNode, { checks, default: value }: UnwrappedField) {
  // A refinement may be anything, a call over the network as well: not while modules are loaded.
  if (checks.some(({ check }) => check === "custom")) return undefined;
  const result = node["~standard"].validate(value);
  if (!(result instanceof Promise)) return result.issues?.[0]?.message;
  // A check that throws makes zod try again in its own time. It will throw at the first call as well,
  // where somebody waits for the answer.
  result.catch(() => undefined);
  return undefined;
}
