import { context, ROOT_CONTEXT } from "@opentelemetry/api";
import { suppressTracing } from "@opentelemetry/core";
import { builtinModule } from "../runtime/builtin-module.ts";

interface AsyncHooks {
  readonly AsyncLocalStorage: { snapshot?(): <R>(work: () => R) => R };
}

/**
 * Remembers the context of this moment and returns a function that runs work in it, untraced. What
 * the whole app shares (a connection, a cache) must not run in the context of the call that happened
 * to come first: it would keep that call's data in memory, and its spans would hang under it.
 */
export function detachedRunner(): <R>(work: () => R) => R {
  const hooks = builtinModule<AsyncHooks>("node:async_hooks");
  const inCreator = hooks?.AsyncLocalStorage.snapshot?.() ?? (<R>(work: () => R): R => work());
  return (work) => inCreator(() => context.with(suppressTracing(ROOT_CONTEXT), work));
}
