import fc from "fast-check";
import * as z from "zod";

/** Something a nested configuration can have: its schema, and values that it takes. */
interface Shape {
  readonly zod: z.ZodType;
  readonly values: fc.Arbitrary<unknown>;
  /**
   * What it has by default, where that is not any of its values: zod takes the default of an object for
   * the whole, and a configuration merges what is given over it.
   */
  readonly initial?: null | "own";
}

const text: fc.Arbitrary<Shape> = fc.constant({ zod: z.string(), values: fc.string() });
const flag: fc.Arbitrary<Shape> = fc.constant({ zod: z.boolean(), values: fc.boolean() });
const count: fc.Arbitrary<Shape> = fc.nat(9).map((most) => ({
  zod: z.int().min(0).max(most),
  values: fc.nat(most),
}));
const ratio: fc.Arbitrary<Shape> = fc.constant({
  zod: z.number().gt(-1).lt(1),
  values: fc.double({ min: -0.5, max: 0.5, noNaN: true }).map((value) => value + 0),
});
const choice: fc.Arbitrary<Shape> = fc
  .uniqueArray(fc.string({ maxLength: 3 }), { minLength: 1, maxLength: 3 })
  .map((choices) => ({ zod: z.literal(choices), values: fc.constantFrom(...choices) }));

/** zod itself takes the `constructor` that an object inherits for a field of that name. */
const plainNames = fc.constantFrom("a", "b", "c", "length", "0", "");
const anyNames = fc.oneof(plainNames, fc.constantFrom("constructor", "toString", "valueOf"));

type Names = fc.Arbitrary<string>;

function nullable({ zod, values, initial }: Shape): Shape {
  const either = { zod: zod.nullable(), values: fc.oneof(values, fc.constant(null)) };
  return initial === "own" ? { ...either, initial: null } : either;
}

function list(items: Shape, [least, extra]: readonly [number, number]): Shape {
  return {
    zod: z
      .array(items.zod)
      .min(least)
      .max(least + extra),
    values: fc.array(items.values, { minLength: least, maxLength: least + extra }),
  };
}

/** How a member does without being given. */
type Presence = "required" | "optional" | "default";

function withPresence({ zod, initial }: Shape, presence: Presence, value: unknown): z.ZodType {
  if (presence === "required") return zod;
  if (presence === "optional") return zod.optional();
  if (initial === "own") return zod;
  // As zod would return it; with odd names zod may refuse what it should not.
  return zod.default(initial === null ? null : (zod.safeParse(value).data ?? value));
}

/** Inside of lists members may be required; an object that is always there has only defaults. */
function members(names: Names, depth: number, presences: readonly Presence[]): fc.Arbitrary<Shape> {
  const member = fc
    .tuple(shape(names, depth), fc.constantFrom(...presences))
    .chain(([inner, presence]) =>
      fc.record({
        inner: fc.constant(inner),
        presence: fc.constant(presence),
        initial: inner.values,
      }),
    );
  return fc
    .dictionary(names, member, { maxKeys: 3, noNullPrototype: true })
    .map((record): Shape => {
      const entries = Object.entries(record);
      const required = entries.filter(([, { presence }]) => presence === "required");
      return {
        zod: z.object(
          Object.fromEntries(
            entries.map(([key, { inner, presence, initial }]) => [
              key,
              withPresence(inner, presence, initial),
            ]),
          ),
        ),
        values: fc.record(
          Object.fromEntries(entries.map(([key, { inner }]) => [key, inner.values])),
          { requiredKeys: required.map(([key]) => key), noNullPrototype: true },
        ),
      };
    });
}

function group(names: Names, depth: number): fc.Arbitrary<Shape> {
  return members(names, depth, ["optional", "default"]).map(({ zod, values }) => ({
    zod: (zod as z.ZodObject).prefault({}),
    values,
    initial: "own",
  }));
}

function shape(names: Names, depth: number): fc.Arbitrary<Shape> {
  const scalar = fc.oneof(text, flag, count, ratio, choice);
  if (depth === 0) return scalar;
  const counts = fc.tuple(fc.nat(2), fc.nat(2));
  const below = fc.oneof(
    shape(names, depth - 1),
    members(names, depth - 1, ["required", "optional", "default"]),
  );
  return fc.oneof(
    scalar,
    scalar.map(nullable),
    fc.tuple(below, counts).map(([items, bounds]) => list(items, bounds)),
    group(names, depth - 1),
    group(names, depth - 1).map(nullable),
  );
}

/** A value with something else somewhere inside of it. */
function spoiled(value: unknown, other: unknown, steps: readonly number[]): unknown {
  const [step, ...rest] = steps;
  if (step === undefined || typeof value !== "object" || value === null) return other;
  if (Array.isArray(value)) {
    const index = step % (value.length + 1);
    return value.toSpliced(index, 1, spoiled(value[index], other, rest));
  }
  const keys = [...Object.keys(value), "a"];
  const key = keys[step % keys.length]!;
  const inner = (value as Record<string, unknown>)[key];
  const entries = Object.entries(value).filter(([existing]) => existing !== key);
  // Every third one is taken out.
  if (step % 3 === 0) return Object.fromEntries(entries);
  return Object.fromEntries([...entries, [key, spoiled(inner, other, rest)]]);
}

const likely = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(null, {}, [], "", 0, -1, 10, true, [null], { a: null }),
);

/** A nested configuration, and values for it, most of them wrong in one place at most. */
export function randomNestedConfig({ odd }: { readonly odd: boolean }) {
  return group(odd ? anyNames : plainNames, 3).chain(({ zod, values }) =>
    fc
      .record({
        values,
        other: likely,
        steps: fc.array(fc.nat(20), { minLength: 1, maxLength: 5 }),
      })
      .chain((draft) =>
        fc.boolean().map((isSpoiled) => ({
          schema: (zod as z.ZodPrefault<z.ZodObject>).unwrap(),
          // As JSON.parse makes them: own properties, no negative zero.
          values: JSON.parse(
            JSON.stringify(
              isSpoiled ? spoiled(draft.values, draft.other, draft.steps) : draft.values,
            ),
          ) as unknown,
        })),
      ),
  );
}
