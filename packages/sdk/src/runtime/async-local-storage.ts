import { builtinModule, isRequestBound } from "./workers-runtime.ts";

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

/** The oldest Node that works, as `engines` of package.json has it. */
const OLDEST = { major: 22, minor: 15 };

interface ProcessLike {
  readonly versions?: Readonly<Record<string, string | undefined>>;
  readonly stderr?: { write(text: string): unknown };
  exit?(code: number): never;
}

/**
 * Ends a process whose Node is too old with one sentence. npm only warns about `engines`, and the SDK would
 * load and fail later, at the first stream, with an error that does not name the reason.
 */
export function refuseOldNode(): void {
  const { process } = globalThis as { process?: ProcessLike };
  const { node, bun, deno } = process?.versions ?? {};
  // Others say which Node they are compatible with, too.
  if (node === undefined || bun !== undefined || deno !== undefined) return;
  const [major = 0, minor = 0] = node.split(".").map(Number);
  if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)) return;
  process?.stderr?.write(
    `@agate/sdk needs Node ${OLDEST.major}.${OLDEST.minor} or later, and this is Node ${node}. Install a newer Node: https://nodejs.org/en/download\n`,
  );
  process?.exit?.(1);
}
