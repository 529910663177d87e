import { isRecord, type JsonSchema, resolveSchema } from "@agate/protocol";

const DEEPEST = 5;

/** An initial value of the right shape: required fields, all empty. */
export function skeletonOf(root: JsonSchema, schema: unknown, depth = 0): unknown {
  const { default: initial, ...resolved } = resolveSchema(root, schema);
  if (initial !== undefined) return initial;
  // For a route without an input schema, the SDK puts the parameters of the function into `examples`.
  if (Array.isArray(resolved.examples) && resolved.type === undefined) return resolved.examples[0];
  if (Object.hasOwn(resolved, "const")) return resolved.const;
  if (Array.isArray(resolved.enum)) return resolved.enum[0] ?? null;
  const branches = resolved.anyOf ?? resolved.oneOf;
  if (Array.isArray(branches) && depth < DEEPEST) return skeletonOf(root, branches[0], depth + 1);
  const [type] = [resolved.type].flat();
  switch (type) {
    case "string":
      return "";
    case "number":
    case "integer":
      return typeof resolved.minimum === "number" && resolved.minimum > 0 ? resolved.minimum : 0;
    case "boolean":
      return false;
    case "array":
      return [];
    case "null":
      return null;
    default:
      return requiredProperties(root, resolved, depth);
  }
}

function requiredProperties(root: JsonSchema, schema: JsonSchema, depth: number): unknown {
  const { properties, required } = schema;
  if (!isRecord(properties) || !Array.isArray(required) || depth >= DEEPEST) return {};
  return Object.fromEntries(
    required.flatMap((name: unknown) =>
      typeof name === "string" && Object.hasOwn(properties, name)
        ? [[name, skeletonOf(root, properties[name], depth + 1)]]
        : [],
    ),
  );
}
