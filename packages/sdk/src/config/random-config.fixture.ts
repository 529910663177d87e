import fc from "fast-check";
import * as z from "zod";
import { BaseModel } from "./base-model.ts";
import type { Bounds } from "./config-schema.ts";
import { bool, Field, float, GroupedMultipleChoice, int, MultipleChoice, str } from "./field.ts";

/** One field of a made-up configuration: how to declare it both ways, and what it takes. */
export interface RandomField {
  readonly name: string;
  readonly spec: () => unknown;
  readonly zod: z.ZodType;
  readonly default: unknown;
  readonly takes: (value: unknown) => boolean;
}

type Shape = Omit<RandomField, "name">;

const choices = fc.uniqueArray(fc.string({ maxLength: 3 }), { minLength: 1, maxLength: 4 });

const text: fc.Arbitrary<Shape> = fc.string().map((value) => ({
  default: value,
  spec: () => Field(str, { default: value }),
  zod: z.string().default(value),
  takes: (other) => typeof other === "string",
}));

const flag: fc.Arbitrary<Shape> = fc.boolean().map((value) => ({
  default: value,
  spec: () => Field(bool, { default: value }),
  zod: z.boolean().default(value),
  takes: (other) => other === true || other === false,
}));

/** Bounds around a number, each side open, exclusive or inclusive. */
function boundsAround(value: number, unit: fc.Arbitrary<number>): fc.Arbitrary<Bounds> {
  const side = fc.constantFrom("none", "exclusive", "inclusive");
  return fc.record({ low: side, high: side, below: unit, above: unit }).map((sides) => ({
    ...(sides.low === "inclusive" && { ge: value - sides.below }),
    ...(sides.low === "exclusive" && { gt: value - sides.below - 1 }),
    ...(sides.high === "inclusive" && { le: value + sides.above }),
    ...(sides.high === "exclusive" && { lt: value + sides.above + 1 }),
  }));
}

function isWithin(value: number, bounds: Bounds): boolean {
  const { ge = Number.NEGATIVE_INFINITY, gt = Number.NEGATIVE_INFINITY } = bounds;
  const { le = Number.POSITIVE_INFINITY, lt = Number.POSITIVE_INFINITY } = bounds;
  return value >= ge && value > gt && value <= le && value < lt;
}

function bounded(schema: z.ZodNumber, { ge, gt, le, lt }: Bounds): z.ZodNumber {
  let result = schema;
  if (ge !== undefined) result = result.gte(ge);
  if (gt !== undefined) result = result.gt(gt);
  if (le !== undefined) result = result.lte(le);
  if (lt !== undefined) result = result.lt(lt);
  return result;
}

const wholeNumber: fc.Arbitrary<Shape> = fc.integer({ min: -50, max: 50 }).chain((value) =>
  boundsAround(value, fc.nat(20)).map((bounds) => ({
    default: value,
    spec: () => Field(int, { default: value, ...bounds }),
    zod: bounded(z.number().int(), bounds).default(value),
    takes: (other) => Number.isSafeInteger(other) && isWithin(other as number, bounds),
  })),
);

const number: fc.Arbitrary<Shape> = fc.double({ min: -50, max: 50, noNaN: true }).chain((value) =>
  boundsAround(value, fc.double({ min: 0, max: 20, noNaN: true })).map((bounds) => ({
    default: value,
    spec: () => Field(float, { default: value, ...bounds }),
    zod: bounded(z.number(), bounds).default(value),
    takes: (other) => typeof other === "number" && isWithin(other, bounds),
  })),
);

const choice: fc.Arbitrary<Shape> = choices.map((list) => ({
  default: list[0],
  spec: () => Field(MultipleChoice({ choices: list }), { default: list[0]! }),
  // Not an enum, which sorts choices that look like an index first.
  zod: z.literal(list).default(list[0]!),
  takes: (other) => list.some((item) => item === other),
}));

const groupedChoice: fc.Arbitrary<Shape> = fc
  .dictionary(fc.string(), choices, { minKeys: 1, maxKeys: 3, noNullPrototype: true })
  .map((groups) => {
    const all = Object.values(groups).flat();
    const type = GroupedMultipleChoice({ choices: groups });
    return {
      default: all[0],
      spec: () => Field(type, { default: all[0]! }),
      zod: z.string().meta({ groups }).default(all[0]!),
      takes: (other) => all.some((item) => item === other),
    };
  });

/** Names that are already something on every object, among others. */
const name = fc.oneof(
  fc.constantFrom(
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "valueOf",
    "then",
    "0",
    "",
  ),
  fc.string({ maxLength: 8 }),
);

const fields: fc.Arbitrary<readonly RandomField[]> = fc
  .uniqueArray(name, { maxLength: 6 })
  .chain((names) =>
    fc
      .array(fc.oneof(text, flag, wholeNumber, number, choice, groupedChoice), {
        minLength: names.length,
        maxLength: names.length,
      })
      .map((shapes) => shapes.map((shape, index) => ({ ...shape, name: names[index]! }))),
  );

/** Any JSON, with the names of the fields and values near what they take among it. */
function valuesFor(declared: readonly RandomField[]): fc.Arbitrary<unknown> {
  const likely = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom<unknown>(
      ...declared.map((field) => field.default),
      0,
      null,
      true,
      "1",
      2 ** 53,
    ),
    fc.integer({ min: -60, max: 60 }),
    fc.double({ min: -60, max: 60, noNaN: true }),
  );
  const key = fc.oneof(fc.constantFrom("__proto__", ...declared.map((field) => field.name)), name);
  const record = fc
    .array(fc.tuple(key, likely), { maxLength: 8 })
    // Own properties, as JSON.parse makes them.
    .map((entries) => JSON.parse(JSON.stringify(Object.fromEntries(entries))) as unknown);
  return fc.oneof({ weight: 9, arbitrary: record }, fc.jsonValue());
}

/** A configuration that nobody would write, and values that somebody sends for it. */
export const randomConfig = fields.chain((declared) =>
  valuesFor(declared).map((values) => ({ fields: declared, values })),
);

/** The class that declares such fields, with its members defined or assigned. */
export function modelOf(declared: readonly RandomField[], members: "defined" | "assigned") {
  return class RandomConfig extends BaseModel {
    constructor(values?: Record<string, string>) {
      super(values);
      for (const { name, spec } of declared) {
        if (members === "assigned") Reflect.set(this, name, spec());
        else {
          const descriptor = { writable: true, enumerable: true, configurable: true };
          Object.defineProperty(this, name, { ...descriptor, value: spec() });
        }
      }
    }
  };
}

export function zodOf(declared: readonly RandomField[]) {
  return z.object(Object.fromEntries(declared.map((field) => [field.name, field.zod])));
}
