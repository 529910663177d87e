import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import { createApp } from "../app/create-app.ts";
import { BaseModel } from "../config/base-model.ts";
import { createClient } from "./create-client.ts";
import type { Jsonify } from "./jsonify.ts";

type Nothing = Record<never, never>;

class Money {
  readonly currency = "EUR";
  readonly paidAt = new Date(0);
  readonly #cents: number;
  constructor(cents: number) {
    this.#cents = cents;
  }
  plus(cents: number): Money {
    return new Money(this.#cents + cents);
  }
}

class Temperature {
  readonly #degrees: number;
  constructor(degrees: number) {
    this.#degrees = degrees;
  }
  toJSON(): { degrees: number; readAt: Date } {
    return { degrees: this.#degrees, readAt: new Date(0) };
  }
}

class Failure extends Error {
  readonly code = 7;
}

interface Comment {
  readonly text: string;
  readonly at: Date;
  readonly replies: Comment[];
  readonly parent?: Comment;
  readonly next: Comment | null;
}

type AnyJson = string | number | boolean | null | AnyJson[] | { [key: string]: AnyJson };

declare const brand: unique symbol;
type UserId = string & { readonly [brand]: "UserId" };

describe("the JSON form of a type", () => {
  it("keeps what JSON has", () => {
    expectTypeOf<Jsonify<"a" | 1 | true | null>>().toEqualTypeOf<"a" | 1 | true | null>();
    expectTypeOf<Jsonify<boolean>>().toEqualTypeOf<boolean>();
    expectTypeOf<Jsonify<AnyJson>>().toEqualTypeOf<AnyJson>();
    expectTypeOf<Jsonify<{ id: UserId }>>().toEqualTypeOf<{ id: UserId }>();
    expectTypeOf<Jsonify<{ readonly a: readonly string[] }>>().toEqualTypeOf<{
      readonly a: readonly string[];
    }>();
    expectTypeOf<Jsonify<Record<string, Date>>>().toEqualTypeOf<Record<string, string>>();
  });

  it("keeps what is not known", () => {
    expectTypeOf<Jsonify<unknown>>().toEqualTypeOf<unknown>();
    // biome-ignore lint/suspicious/noExplicitAny: as functions without types return it.
    expectTypeOf<Jsonify<any>>().toEqualTypeOf<any>();
    expectTypeOf<Jsonify<never>>().toEqualTypeOf<never>();
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    expectTypeOf<Jsonify<{ a: unknown; b: any; c?: unknown }>>().toEqualTypeOf<{
      a: unknown;
      // biome-ignore lint/suspicious/noExplicitAny: as above.
      b: any;
      c?: unknown;
    }>();
    expectTypeOf<Jsonify<unknown[]>>().toEqualTypeOf<unknown[]>();
  });

  it("is what toJSON() returns, which itself is written without it", () => {
    expectTypeOf<Jsonify<Date>>().toEqualTypeOf<string>();
    expectTypeOf<Jsonify<URL>>().toEqualTypeOf<string>();
    expectTypeOf<Jsonify<Buffer>>().toEqualTypeOf<{ type: "Buffer"; data: number[] }>();
    expectTypeOf<Jsonify<Temperature>>().toEqualTypeOf<{ degrees: number; readAt: string }>();
    expectTypeOf<Jsonify<{ toJSON(): Date }>>().toEqualTypeOf<Nothing>();
    expectTypeOf<Jsonify<{ a: { toJSON(): string | undefined } }>>().toEqualTypeOf<{
      a?: string;
    }>();
  });

  it("has members that may be left out as optional ones, and no methods", () => {
    expectTypeOf<
      Jsonify<{
        a?: Date;
        b: Date | undefined;
        c: undefined;
        d: (() => void) | number;
        e: symbol;
        f(): void;
        g: new () => object;
        [brand]: string;
      }>
    >().toEqualTypeOf<{ a?: string; b?: string; c?: never; d?: number; e?: never }>();
  });

  it("has null where something has to stand", () => {
    expectTypeOf<Jsonify<undefined>>().toEqualTypeOf<null>();
    // biome-ignore lint/suspicious/noConfusingVoidType: what a function without `return` is typed by.
    expectTypeOf<Jsonify<void | string>>().toEqualTypeOf<string | null>();
    expectTypeOf<Jsonify<() => void>>().toEqualTypeOf<null>();
    expectTypeOf<Jsonify<(Date | undefined)[]>>().toEqualTypeOf<(string | null)[]>();
    expectTypeOf<Jsonify<readonly [Date, undefined, () => void]>>().toEqualTypeOf<
      readonly [string, null, null]
    >();
    expectTypeOf<Jsonify<[Date, ...Date[]]>>().toEqualTypeOf<[string, ...string[]]>();
  });

  it("has the data of objects, and nothing of those that keep it elsewhere", () => {
    expectTypeOf<Jsonify<Money>>().toEqualTypeOf<{
      readonly currency: "EUR";
      readonly paidAt: string;
    }>();
    expectTypeOf<Jsonify<Failure>>().toEqualTypeOf<{ readonly code: 7 }>();
    expectTypeOf<
      Jsonify<Map<string, Date> | ReadonlySet<Date> | RegExp>
    >().toEqualTypeOf<Nothing>();
    expectTypeOf<Jsonify<Uint8Array>>().toEqualTypeOf<Record<string, number>>();
    expectTypeOf<Jsonify<Promise<string>>>().toEqualTypeOf<Nothing>();
  });

  it("is never for a bigint, which cannot be written", () => {
    expectTypeOf<Jsonify<bigint>>().toEqualTypeOf<never>();
    expectTypeOf<Jsonify<{ n: bigint }>>().toEqualTypeOf<{ n: never }>();
  });

  it("goes into unions, and into types that contain themselves", () => {
    expectTypeOf<Jsonify<{ k: "a"; at: Date } | { k: "b"; n?: Date }>>().toEqualTypeOf<
      { k: "a"; at: string } | { k: "b"; n?: string }
    >();
    expectTypeOf<Jsonify<Comment>["replies"][0]["next"]>().toEqualTypeOf<Jsonify<Comment> | null>();
    expectTypeOf<NonNullable<Jsonify<Comment>["parent"]>["at"]>().toEqualTypeOf<string>();
  });

  it("does not take what JSON cannot carry", () => {
    // @ts-expect-error a Date is a string on the other side
    const date: Jsonify<{ at: Date }> = { at: new Date() };
    // @ts-expect-error a method is not sent
    const method: Jsonify<{ a: number; f(): void }> = { a: 1, f: () => {} };
    // @ts-expect-error a Map is an empty object
    const size = (map: Jsonify<Map<string, string>>) => map.size;
    // @ts-expect-error deep inside, too
    const deep: Jsonify<AnyJson> = { a: [1, { b: new Date() }] };
    expect([date, method, size, deep]).toHaveLength(4);
  });
});

/** Values of a type, and what tells its JSON. That `isJson` speaks of `Jsonify<T>` is checked by the compiler. */
interface Kind<T> {
  readonly values: fc.Arbitrary<T>;
  readonly isJson: (value: unknown) => value is Jsonify<T>;
  /** May be missing in an object. */
  readonly isOptional?: boolean;
}

const isString = (value: unknown): value is string => typeof value === "string";
const isNull = (value: unknown): value is null => value === null;
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
const isEmpty = (value: unknown): value is Nothing => JSON.stringify(value) === "{}";

const text: Kind<string> = { values: fc.string(), isJson: isString };
const number: Kind<number> = {
  values: fc.integer(),
  isJson: (value): value is number => typeof value === "number",
};
const date: Kind<Date> = { values: fc.date({ noInvalidDate: true }), isJson: isString };
const missing: Kind<undefined> = {
  values: fc.constant(undefined),
  isJson: isNull,
  isOptional: true,
};
const method: Kind<() => number> = {
  values: fc.constant(() => 1),
  isJson: isNull,
  isOptional: true,
};
const map: Kind<Map<string, number>> = {
  values: fc.constant(new Map([["a", 1]])),
  isJson: isEmpty,
};
const set: Kind<Set<string>> = { values: fc.constant(new Set(["a"])), isJson: isEmpty };
const bytes: Kind<Uint8Array> = {
  values: fc.uint8Array(),
  isJson: (value): value is Record<string, number> =>
    isObject(value) && Object.values(value).every((byte) => typeof byte === "number"),
};
const money: Kind<Money> = {
  values: fc.integer().map((cents) => new Money(cents)),
  isJson: (value): value is { readonly currency: "EUR"; readonly paidAt: string } =>
    JSON.stringify(value) === '{"currency":"EUR","paidAt":"1970-01-01T00:00:00.000Z"}',
};
const temperature: Kind<Temperature> = {
  values: fc.integer().map((degrees) => new Temperature(degrees)),
  isJson: (value): value is { degrees: number; readAt: string } =>
    isObject(value) && number.isJson(value.degrees) && isString(value.readAt),
};
const failure: Kind<Failure> = {
  values: fc.string().map((message) => new Failure(message)),
  isJson: (value): value is { readonly code: 7 } => JSON.stringify(value) === '{"code":7}',
};

type AnyKind = Pick<Kind<unknown>, "values" | "isOptional"> & { isJson(value: unknown): boolean };

const LEAVES: readonly AnyKind[] = [
  text,
  number,
  date,
  missing,
  method,
  map,
  set,
  bytes,
  money,
  temperature,
  failure,
];

function listOf(item: AnyKind): AnyKind {
  return {
    values: fc.array(item.values, { maxLength: 3 }),
    isJson: (value) => Array.isArray(value) && value.every((each) => item.isJson(each)),
  };
}

function either(one: AnyKind, other: AnyKind): AnyKind {
  return {
    values: fc.oneof(one.values, other.values),
    isJson: (value) => one.isJson(value) || other.isJson(value),
    isOptional: one.isOptional === true || other.isOptional === true,
  };
}

function objectOf(members: Readonly<Record<string, AnyKind>>): AnyKind {
  const values = Object.entries(members).map(([name, kind]) => [name, kind.values] as const);
  return {
    values: fc.record(Object.fromEntries(values)),
    isJson: (value) =>
      isObject(value) &&
      Object.keys(value).every((name) => Object.hasOwn(members, name)) &&
      Object.entries(members).every(([name, kind]) =>
        Object.hasOwn(value, name)
          ? // A member is never `null` for want of JSON: it is left out.
            kind.isJson(value[name]) && !(kind.isOptional === true && isNull(value[name]))
          : kind.isOptional === true,
      ),
  };
}

const kinds: fc.Arbitrary<AnyKind> = fc.letrec<{ kind: AnyKind }>((tie) => ({
  kind: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(...LEAVES),
    tie("kind").map(listOf),
    fc.tuple(tie("kind"), tie("kind")).map(([one, other]) => either(one, other)),
    fc.dictionary(fc.constantFrom("a", "b", "c"), tie("kind")).map(objectOf),
  ),
})).kind;

describe("what a server sends", () => {
  class Config extends BaseModel {}
  let result: unknown;
  const app = createApp({ onError: () => {} });
  const value = app.route("/value", Config)((): unknown => result);
  const stream = app.route(
    "/stream",
    Config,
  )(async function* (): AsyncGenerator<unknown> {
    yield result;
    yield result;
  });
  const typed = app.typed(value, stream);
  const client = createClient<typeof typed>("http://workflow.test", {
    fetch: (input, init) => typed.fetch(new Request(input, init)),
  });

  it("is of the JSON form, as an answer and as chunks of a stream", async () => {
    const cases = kinds.chain((kind) => kind.values.map((made) => [kind, made] as const));
    await fc.assert(
      fc.asyncProperty(cases, async ([kind, made]) => {
        result = made;
        expect(kind.isJson(await client.value(undefined, { config: {} }))).toBe(true);
        const chunks: unknown[] = [];
        for await (const chunk of client.stream(undefined, { config: {} })) chunks.push(chunk);
        expect(chunks).toHaveLength(2);
        expect(chunks.every((chunk) => kind.isJson(chunk))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it("is an error for a bigint", async () => {
    result = { n: 1n };
    await expect(client.value(undefined, { config: {} })).rejects.toMatchObject({
      status: 500,
      detail: [{ type: "output_invalid" }],
    });
  });
});
