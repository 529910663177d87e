import fc from "fast-check";

/** The keys whose values are hidden in these tests. */
export const HIDDEN_KEYS = ["cardNumber", "email"];
/** Part of every text that must not be seen, and of no other. */
export const MARKER = "4111-1111";
/** Part of every text that must survive. */
export const SIBLING = "agate-no-";

/** A value with texts that must not be seen below hidden keys, and others beside them. */
export interface Planted {
  readonly value: unknown;
  /** The texts that are to survive. */
  readonly siblings: readonly string[];
}

type Wrapping = "none" | "json" | "json-twice";

/** Makes a nested value: `hide` says whether what is below must not be seen. */
function nested(depth: number): fc.Arbitrary<(hide: boolean, siblings: string[]) => unknown> {
  const leaf = fc
    .tuple(fc.constantFrom("", '"', "\\", "{", "é", "\n", "]: "), fc.nat(999))
    .map(([odd, number]) => (hide: boolean, siblings: string[]): unknown => {
      if (hide) return `${MARKER}${odd}${number}${MARKER}`;
      const text = `${SIBLING}${number}`;
      siblings.push(text);
      return `${odd}${text}`;
    });
  if (depth === 0) return leaf;
  const inner = nested(depth - 1);
  const wrapping = fc.constantFrom<Wrapping>("none", "none", "json", "json-twice");
  const object = fc
    .tuple(
      fc.uniqueArray(fc.constantFrom("a", "b", "name", "emails", ...HIDDEN_KEYS), { minLength: 1 }),
      fc.infiniteStream(inner),
      wrapping,
    )
    .map(([keys, values, wrap]) => (hide: boolean, siblings: string[]): unknown => {
      const entries = keys.map((key) => {
        const [value] = values.take(1);
        return [key, value!(hide || HIDDEN_KEYS.includes(key), siblings)];
      });
      return wrapped(Object.fromEntries(entries), wrap);
    });
  const list = fc.tuple(fc.array(inner, { minLength: 1, maxLength: 3 }), wrapping).map(
    ([items, wrap]) =>
      (hide: boolean, siblings: string[]): unknown =>
        wrapped(
          items.map((item) => item(hide, siblings)),
          wrap,
        ),
  );
  return fc.oneof(leaf, { arbitrary: object, weight: 3 }, list);
}

function wrapped(value: unknown, wrapping: Wrapping): unknown {
  if (wrapping === "none") return value;
  const once = JSON.stringify(value);
  return wrapping === "json" ? once : JSON.stringify({ text: once });
}

/** Objects and lists with JSON in their texts, and JSON in that. */
export const plantedValue: fc.Arbitrary<Planted> = nested(4).map((make) => {
  const siblings: string[] = [];
  const value = make(false, siblings);
  return { value, siblings };
});
