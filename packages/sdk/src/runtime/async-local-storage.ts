import { builtinModule } from "./builtin-module.ts";
import { isRequestBound } from "./workers-runtime.ts";

/** The part of Node's `AsyncLocalStorage` that Agate uses; Bun, Deno and workerd have the same. */
export interface AsyncLocal<T> {
  getStore(): T | undefined;
  run<R>(store: T, callback: () => R): R;
  enterWith(store: T): void;
}

interface AsyncLocalClass {
  new <T>(): AsyncLocal<T>;
  snapshot?(): <R>(work: () => R) => R;
}

/** Finds the runtime's `AsyncLocalStorage`; undefined where there is none. */
export function createAsyncLocal<T>(): AsyncLocal<T> | undefined {
  const found = asyncLocalClass();
  return found === undefined ? undefined : new found<T>();
}

/**
 * Remembers what every library's `AsyncLocalStorage` holds at this moment. The returned function runs
 * work with that, where the runtime can. On Cloudflare Workers a snapshot belongs to the request that
 * took it and throws in any other, and work stays within its request anyway: there it runs as it is.
 */
export function asyncSnapshot(): <R>(work: () => R) => R {
  if (isRequestBound()) return (work) => work();
  return asyncLocalClass()?.snapshot?.() ?? ((work) => work());
}

function asyncLocalClass(): AsyncLocalClass | undefined {
  return (
    builtinModule<{ AsyncLocalStorage: AsyncLocalClass }>("node:async_hooks")?.AsyncLocalStorage ??
    (globalThis as { AsyncLocalStorage?: AsyncLocalClass }).AsyncLocalStorage
  );
}
