import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inputFaults } from "./input-faults.ts";

const leaf = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, "", "a", "é", "𝒳𝒳", 0, 1, 1.5, -3, 7),
);
const value = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 2 },
    leaf,
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "c"), tie("any"), { maxKeys: 3 }),
  ),
})).any;

const bound = fc.integer({ min: -3, max: 7 });
const count = fc.nat(3);
const schema = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>({}, true, false, { type: "string" }, { $ref: "#/$defs/named" }),
    fc.record({
      type: fc.constantFrom("number", "integer"),
      minimum: bound,
      exclusiveMaximum: bound,
    }),
    fc.record({ type: fc.constant("string"), minLength: count, maxLength: count }),
    fc.record({ enum: fc.array(leaf, { minLength: 1, maxLength: 3 }) }),
    fc.record({ const: leaf }),
    fc.record({ type: fc.constant(["boolean", "null", "array"]), minItems: count }),
    fc.record({ anyOf: fc.array(tie("any"), { minLength: 1, maxLength: 2 }) }),
    fc.record({ allOf: fc.array(tie("any"), { minLength: 1, maxLength: 2 }) }),
    fc.record({
      type: fc.constant("array"),
      prefixItems: fc.array(tie("any"), { minLength: 1, maxLength: 1 }),
      items: tie("any"),
      maxItems: count,
    }),
    fc.record({
      type: fc.constant("object"),
      properties: fc.dictionary(fc.constantFrom("a", "b"), tie("any")),
      required: fc.subarray(["a", "b"]),
      additionalProperties: fc.oneof(fc.constant(false), tie("any")),
    }),
  ),
})).any;

describe("inputFaults", () => {
  it("refuses what a validator of JSON Schema refuses", () => {
    const named = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };
    const ajv = new Ajv2020({ strict: false, ownProperties: true });
    fc.assert(
      fc.property(schema, value, (properties, a) => {
        const root = { type: "object", properties: { a: properties }, $defs: { named } };
        expect(inputFaults(root, { a }).length === 0).toBe(ajv.validate(root, { a }));
        ajv.removeSchema(root);
      }),
      { numRuns: 100 },
    );
  });

  it.each<[object, unknown, string[]]>([
    [{ required: ["text"], type: "object" }, {}, ["text: Required."]],
    [
      { properties: { n: { type: "integer" } } },
      { n: "1" },
      ['n: Must be a whole number (got "1").'],
    ],
    [
      { properties: {}, additionalProperties: false },
      { b: 1 },
      ["b: The route has no such input."],
    ],
    [{ properties: { n: { maximum: 2 } } }, { n: 3 }, ["n: Must be 2 or less (got 3)."]],
    [
      {
        properties: { a: { anyOf: [{ type: "string" }, { properties: { b: { type: "null" } } }] } },
      },
      { a: { b: 1 } },
      ["a.b: Must be null (got 1)."],
    ],
    [
      { properties: { a: { anyOf: [{ type: "string" }, { type: "number" }] } } },
      { a: true },
      ["a: Fits none of the alternatives that the route takes."],
    ],
  ])("says of %j what is wrong", (root, inputs, faults) => {
    const found = inputFaults(root as Record<string, unknown>, inputs);
    expect(found.map(({ path, msg }) => `${path.join(".")}: ${msg}`)).toEqual(faults);
  });

  it("gives up on a schema that branches without end, and takes anything then", () => {
    const node = { anyOf: [{ allOf: [{ $ref: "#" }, false] }, { allOf: [{ $ref: "#" }, false] }] };
    expect(inputFaults(node, {})).toEqual([]);
    const loop = {
      $ref: "#/$defs/a",
      $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } },
    };
    expect(inputFaults(loop, { a: 1 })).toEqual([]);
  });

  it("lists ten faults of a row at most", () => {
    const of = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 1]));
    const root = { additionalProperties: false };
    expect(inputFaults(root, of(9))).toHaveLength(9);
    expect(inputFaults(root, of(11))).toHaveLength(10);
  });
});
