import { builtinModule } from "./builtin-module.ts";

/** The part of Node's `AsyncLocalStorage` that Agate uses; Bun, Deno and workerd have the same. */
export interface AsyncLocal<T> {
  getStore(): T | undefined;
  run<R>(store: T, callback: () => R): R;
  enterWith(store: T): void;
}

type AsyncLocalClass = new <T>() => AsyncLocal<T>;

/** Finds the runtime's `AsyncLocalStorage`; undefined where there is none. */
export function createAsyncLocal<T>(): AsyncLocal<T> | undefined {
  const found =
    builtinModule<{ AsyncLocalStorage: AsyncLocalClass }>("node:async_hooks")?.AsyncLocalStorage ??
    (globalThis as { AsyncLocalStorage?: AsyncLocalClass }).AsyncLocalStorage;
  return found === undefined ? undefined : new found<T>();
}
