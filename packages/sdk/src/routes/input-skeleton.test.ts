import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inputSkeleton } from "./input-skeleton.ts";

type AnyFunction = (...args: never[]) => unknown;

/** A function of this source; a source that is not JavaScript is a mistake of the test. */
function functionOf(source: string): AnyFunction {
  return new Function(`return (${source});`)() as AnyFunction;
}

function methodOf(source: string): AnyFunction {
  const object = functionOf(`{ ${source} }`) as unknown as Record<string, AnyFunction>;
  return Object.values(object)[0]!;
}

describe("inputSkeleton", () => {
  it.each([
    ["({ text }) => text", { text: "" }],
    ["async({text:e,limit:t})=>e+t", { text: "", limit: "" }],
    ["async function* run({ text }, { config }) { yield config; }", { text: "" }],
    ["function ({ text, }) {}", { text: "" }],
    [
      "({ text = 'a', limit = 5, deep = -0.5, on = true }) => 1",
      { text: "a", limit: 5, deep: -0.5, on: true },
    ],
    ["({ a, b = now(), c = [1, {}], d = `x`.length, e }) => 1", undefined],
    ["({ a, b = now(1, ','), c = [1, { x: '}' }], e }) => 1", { a: "", e: "" }],
    [
      "({ user: { name, address: { city } = {} }, tags: [first] }) => 1",
      { user: { name: "" }, tags: [] },
    ],
    ["({ user: { name, address: { city } } }) => 1", { user: { name: "", address: { city: "" } } }],
    ["({ text, ...rest }) => rest", { text: "" }],
    ["({ 'a-b': a, \"c d\": b, 0: c }) => 1", { "a-b": "", "c d": "", "0": "" }],
    ["({ /* } */ text, // , {\n limit /* = 1 */ }) => 1", { text: "", limit: "" }],
    ["/* (x) */ async /* y */ ( /* z */ { text } /* , */ = {}) => 1", { text: "" }],
    ["({ été, $a, _b, async, of }) => 1", { été: "", $a: "", _b: "", async: "", of: "" }],
    ["({ __proto__: p, constructor: c }) => 1", JSON.parse('{"__proto__":"","constructor":""}')],
    ["({}) => 1", {}],
    // Unsure, or nothing to be seen.
    ["input => input", undefined],
    ["async input => ({ text: input })", undefined],
    ["(input) => input.text", undefined],
    ["() => 1", undefined],
    ["function () { return ({ text }) => text; }", undefined],
    ["(...all) => all", undefined],
    ["([first]) => first", undefined],
    ["({ ['a' + 'b']: text }) => text", undefined],
    ["({ text = /[}]/ }) => text", undefined],
    ["({ text = 4 / 2 }) => text", undefined],
    ["({ text = `$\u007b'}'}` }) => text", undefined],
    ["({ text = 'it\\'s' }) => text", undefined],
  ])("of %s", (source, skeleton) => {
    expect(inputSkeleton(functionOf(source))).toEqual(skeleton);
  });

  it.each([
    ["run({ text }) {}", { text: "" }],
    ["async run({ text }) {}", { text: "" }],
    ["*run({ text }) {}", { text: "" }],
    ["async *run({ text }) {}", { text: "" }],
    ["async 'a({b'({ text }) {}", { text: "" }],
    ["[`r$\u007b'('}`]({ text }) {}", undefined],
    ["['r(' + ')']({ text }) {}", { text: "" }],
    ["1({ text }) {}", { text: "" }],
    ["get({ text }) {}", { text: "" }],
  ])("of the method %s", (source, skeleton) => {
    expect(inputSkeleton(methodOf(source))).toEqual(skeleton);
  });

  it("of methods of classes, static and private ones too", () => {
    class Service {
      readonly name = "service";
      static async *list({ page }: { page: string }) {
        yield page;
      }
      static own(): AnyFunction {
        return Service.#hidden;
      }
      static #hidden({ secret }: { secret: string }) {
        return secret;
      }
    }
    expect(inputSkeleton(Service.list as AnyFunction)).toEqual({ page: "" });
    expect(inputSkeleton(Service.own())).toEqual({ secret: "" });
  });

  it.each<[string, AnyFunction]>([
    ["a bound function", (({ text }: { text: string }) => text).bind(null) as AnyFunction],
    ["a native function", Math.max as AnyFunction],
    ["a proxy", new Proxy(({ text }: { text: string }) => text, {}) as AnyFunction],
    ["a class", class {} as unknown as AnyFunction],
  ])("of %s is none", (_, fn) => {
    expect(inputSkeleton(fn)).toBeUndefined();
  });

  const space = fc.constantFrom("", " ", "\n", "/* , } */", "// {\n", "\t/**/ ");
  const name = fc.stringMatching(/^[a-z][a-zA-Z0-9$_]{0,5}$/).map((text) => `v${text}`);

  interface Pattern {
    readonly source: string;
    readonly skeleton: unknown;
  }

  const { pattern } = fc.letrec<{ pattern: Pattern; member: Pattern }>((tie) => ({
    member: fc.oneof(
      fc.constant({ source: "", skeleton: "" }),
      fc.constant({ source: ": other", skeleton: "" }),
      fc.integer().map((value) => ({ source: ` = ${value}`, skeleton: value })),
      fc
        .string()
        .filter((text) => !/["\\\n\r\u2028\u2029]/.test(text))
        .map((text) => ({ source: ` = "${text}"`, skeleton: text })),
      fc.constant({ source: " = [{ a: ')' }, f(1, 2)]", skeleton: undefined }),
      tie("pattern").map(({ source, skeleton }) => ({ source: `: ${source}`, skeleton })),
    ),
    pattern: fc
      .tuple(
        fc.dictionary(name, tie("member"), { maxKeys: 3, noNullPrototype: true }),
        fc.array(space),
      )
      .map(([members, spaces]) => {
        let next = 0;
        const gap = () => spaces[next++ % Math.max(spaces.length, 1)] ?? "";
        const parts = Object.entries(members).map(
          ([key, { source }]) => `${gap()}${key}${gap()}${source}${gap()}`,
        );
        const known = Object.entries(members).filter(([, each]) => each.skeleton !== undefined);
        return {
          source: `{${parts.join(",")}${gap()}}`,
          skeleton: Object.fromEntries(known.map(([key, each]) => [key, each.skeleton])),
        };
      }),
  }));

  const FORMS = [
    (source: string) => `(${source}) => 1`,
    (source: string) => `async (${source}, call) => ({ call })`,
    (source: string) => `function named(${source} = {}) { return "({ other })"; }`,
    (source: string) => `async function* (${source}) { yield 1; }`,
  ];

  it("finds what any pattern names, in any form of function", () => {
    fc.assert(
      fc.property(pattern, fc.constantFrom(...FORMS), ({ source, skeleton }, form) => {
        // Names may be bound once only; "other" may be there twice.
        fc.pre((source.match(/: other/g) ?? []).length < 2);
        let fn: AnyFunction;
        try {
          fn = functionOf(form(source));
        } catch (error) {
          // The same name at two levels.
          if (error instanceof SyntaxError) return;
          throw error;
        }
        expect(inputSkeleton(fn)).toEqual(skeleton);
      }),
    );
  });

  it("never throws, whatever the source looks like", () => {
    const piece = fc.constantFrom(
      "(",
      ")",
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      "=",
      "/*",
      "*/",
      "//",
      "\n",
      "'",
      '"',
      "`",
      "a",
      "...",
      "=>",
      "\\",
      "async ",
      "function ",
      "*",
      "#",
      "1",
    );
    const original = Function.prototype.toString;
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        Function.prototype.toString = () => pieces.join("");
        try {
          inputSkeleton(() => 1);
        } finally {
          Function.prototype.toString = original;
        }
      }),
    );
  });
});
