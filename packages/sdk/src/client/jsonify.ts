/**
 * What a client gets of a value that a function returned: the value as JSON carries it. Answers and
 * chunks are written with `JSON.stringify`, so
 *
 * - a value with `toJSON()` is what that returns (a `Date` is a string);
 * - members that may be `undefined`, a function or a symbol are optional; methods are left out;
 * - in a list, and as the whole answer, such a value is `null`;
 * - Maps, Sets and the like are `{}`, an `Error` is its own fields;
 * - a `bigint` is `never`: the call fails with `output_invalid`.
 *
 * A getter of a class is not sent, but TypeScript cannot tell it from a field.
 *
 * @example
 * type Sent = Jsonify<{ at: Date; tags?: string[]; print(): void }>; // { at: string; tags?: string[] }
 */
export type Jsonify<T> = InList<Json<T>>;

type AnyFunction = ((...args: never) => unknown) | (abstract new (...args: never) => unknown);

/** Has no JSON. */
// biome-ignore lint/suspicious/noConfusingVoidType: the type of what a function without `return` returns.
type Unwritten = undefined | void | symbol | AnyFunction;

/** Written as `{}`: what they hold is not in members. */
type Opaque =
  | ReadonlyMap<never, unknown>
  | ReadonlySet<unknown>
  | RegExp
  | ArrayBuffer
  | DataView
  | Promise<unknown>;

type Bytes = ArrayBufferView & {
  readonly BYTES_PER_ELEMENT: number;
  readonly [index: number]: unknown;
};

/** The JSON of a value; `undefined` where it has none. */
type Json<T> = unknown extends T
  ? T
  : T extends { toJSON(key?: never): infer Said }
    ? Written<Said>
    : Written<T>;

type Written<T> = unknown extends T
  ? T
  : T extends string | number | boolean | null
    ? T
    : T extends Unwritten
      ? undefined
      : T extends bigint
        ? never
        : T extends readonly unknown[]
          ? List<T>
          : T extends Bytes
            ? Record<string, T[number]>
            : T extends Opaque
              ? Record<never, never>
              : T extends Error
                ? Members<Omit<T, keyof Error>>
                : Members<T>;

// `Item[]` is worked out when it is looked at, a mapped type at once: only so can a list contain itself.
type List<T extends readonly unknown[]> = T[number][] extends T
  ? T extends unknown[]
    ? InList<Json<T[number]>>[]
    : readonly InList<Json<T[number]>>[]
  : { [Index in keyof T]: InList<Json<T[Index]>> };

/** Where something has to stand, what has no JSON is `null`. */
type InList<Value> = Value extends undefined ? null : Value;

type Members<T> = Flat<
  {
    [Key in keyof T as MayBeLeftOut<T[Key]> extends true ? never : Named<T, Key>]: Json<T[Key]>;
  } & {
    [Key in keyof T as MayBeLeftOut<T[Key]> extends true ? Named<T, Key> : never]?: Exclude<
      Json<T[Key]>,
      undefined
    >;
  }
>;

// Looks at the value itself and not into it, so that types that contain themselves are no endless work.
type MayBeLeftOut<Value> = unknown extends Value
  ? false
  : [Extract<Value extends { toJSON(key?: never): infer Said } ? Said : Value, Unwritten>] extends [
        never,
      ]
    ? false
    : true;

/** Members with a symbol for a name, and methods, are not written. */
type Named<T, Key extends keyof T> = Key extends symbol
  ? never
  : T[Key] extends AnyFunction
    ? never
    : Key;

/** One object type instead of an intersection, for those who read it in an editor. */
type Flat<T> = { [Key in keyof T]: T[Key] };
