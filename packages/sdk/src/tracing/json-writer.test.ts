import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonWriter } from "./json-writer.ts";
import { HiddenKeys } from "./redaction/hidden-keys.ts";

function written(value: unknown, limit = 100_000): unknown {
  const writer = new JsonWriter({ limit });
  writer.write(value);
  return JSON.parse(writer.text);
}

class Point {
  x = 1;
  #hidden = 2;
  get sum(): number {
    return this.x + this.#hidden;
  }
}

const nothing: unknown = undefined;
const cycle: Record<string, unknown> = { name: "loop" };
cycle.self = cycle;

describe("any value as JSON", () => {
  it("is what JSON makes of it, where JSON can", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const writer = new JsonWriter({ limit: 1e9 });
        writer.write(value);
        expect(writer.text).toBe(JSON.stringify(value));
      }),
    );
  });

  it.each<[string, unknown, unknown]>([
    ["a cycle", cycle, { name: "loop", self: "[Circular]" }],
    ["the same thing twice, which is no cycle", [cycle.name, cycle.name], ["loop", "loop"]],
    ["numbers without JSON", [Number.NaN, -1 / 0, -0], ["NaN", "-Infinity", 0]],
    ["undefined in lists and objects", [undefined, { a: undefined }], [null, {}]],
    ["a Map with texts for keys", new Map([["a", new Map()]]), { a: {} }],
    ["a Map with other keys", new Map([[1, "a"]]), [[1, "a"]]],
    ["a Set", new Set([1, "a"]), [1, "a"]],
    ["dates", [new Date(0), new Date(Number.NaN)], ["1970-01-01T00:00:00.000Z", "Invalid Date"]],
    ["functions and symbols", [Math.max, Symbol("s")], ["[Function: max]", "Symbol(s)"]],
    ["numbers in typed arrays", new Float32Array([0.5, 2]), [0.5, 2]],
    ["bytes", [Buffer.from("hi"), new TextEncoder().encode("hi").buffer], ["aGk=", "aGk="]],
    ["an instance", new Point(), { x: 1 }],
    [
      "things that show nothing",
      [Promise.resolve(1), new AbortController().signal],
      ["[Promise]", "[AbortSignal]"],
    ],
    ["toJSON", new URL("http://a.test/b"), "http://a.test/b"],
    ["__proto__ as data", JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":1}}')],
  ])("shows %s", (_what, value, expected) => {
    expect(written(value)).toEqual(expected);
  });

  it("shows errors, with causes", () => {
    const error = Object.assign(new TypeError("no", { cause: new Error("why") }), { code: "E1" });
    expect(written(error)).toEqual({
      name: "TypeError",
      message: "no",
      cause: { name: "Error", message: "why" },
      code: "E1",
    });
  });

  it("keeps every digit of a bigint", () => {
    const writer = new JsonWriter({ limit: 100 });
    writer.write(2n ** 100n);
    expect(writer.text).toBe("1267650600228229401496703205376");
  });

  it("survives getters, toJSON and proxies that throw", () => {
    const hostile = {
      fine: 1,
      get bad(): string {
        throw new Error("getter");
      },
      json: {
        toJSON() {
          throw new Error("toJSON");
        },
      },
      proxy: new Proxy(
        {},
        {
          ownKeys() {
            throw new Error("proxy");
          },
        },
      ),
      revoked: revokedProxy(),
      thrower: {
        toJSON() {
          throw nothing;
        },
      },
    };
    expect(written(hostile)).toEqual({
      fine: 1,
      bad: "[Unreadable: getter]",
      json: "[Unreadable: toJSON]",
      proxy: "[Unreadable: proxy]",
      revoked: expect.stringContaining("[Unreadable"),
      thrower: "[Unreadable: undefined]",
    });
  });

  it("never throws, on anything", () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withSet: true,
          withTypedArray: true,
          withSparseArray: true,
          withNullPrototype: true,
          withObjectString: true,
        }),
        (value) => {
          expect(() => written(value, 1e9)).not.toThrow();
        },
      ),
    );
  });

  it("stops soon after its limit, and knows it", () => {
    for (const value of [
      "x".repeat(1e6),
      Array.from({ length: 1e5 }, (_, index) => index),
      Object.fromEntries(Array.from({ length: 1e4 }, (_, index) => [`key${index}`, index])),
      new Uint8Array(1e6),
      { ["k".repeat(1_100)]: "v".repeat(1e6), more: "v".repeat(1e6) },
      new Array(1e8),
    ]) {
      const writer = new JsonWriter({ limit: 1_000 });
      writer.write(value);
      expect(writer.isFull).toBe(true);
      expect(writer.text.length).toBeLessThan(2_500);
    }
  });

  it("stops where nesting has no end", () => {
    const endless: unknown = new Proxy(
      {},
      {
        ownKeys: () => ["in"],
        getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
        get: (_t, key) =>
          key === "in"
            ? Object.create({}, { in: { get: () => endless, enumerable: true } })
            : undefined,
      },
    );
    let deep: unknown = "end";
    for (let level = 0; level < 5_000; level++) deep = { deep };
    expect(JSON.stringify(written(deep))).toContain("[Too deep]");
    expect(() => written(endless)).not.toThrow();
  });

  it("hides what is named", () => {
    const writer = new JsonWriter({ limit: 1_000, hidden: new HiddenKeys(["a.0.b"]) });
    writer.write({ a: [{ b: "hidden", c: 1 }], b: "shown" });
    expect(JSON.parse(writer.text)).toEqual({ a: [{ b: "[redacted]", c: 1 }], b: "shown" });
  });
});

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
