import type { DeclarationError } from "./declaration-error.ts";
import { isMessagesType } from "./messages.ts";
import type { ZodNode } from "./zod-node.ts";
import { isNull, type UnwrappedField } from "./zod-unwrap.ts";

/** The type of a field that has no fields of its own, as `ag.Field` would be given it. */
export function scalarType(
  { inner, checks, meta }: UnwrappedField,
  fail: (message: string) => DeclarationError,
): unknown {
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
    case "lazy":
      throw fail(
        "A field cannot be a zod lazy: a configuration has a fixed depth. Write the schema itself.",
      );
    default:
      if (isMessagesType(inner)) return inner;
      throw fail(
        `A field cannot be a zod ${type}. Write z.string(), z.int(), z.number(), z.boolean(), z.enum([...]), or a string with .meta({ groups: {...} }), each with .default(...); z.object({...}), z.array(...), .optional() and .nullable() of these; or ag.Messages({ default: [...] }).`,
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
      const options = (def.options ?? []).filter((option) => !isNull(option)).map(choicesOf);
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
