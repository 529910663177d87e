/** The part of Cloudflare's module that is used here. Older versions of the runtime lack some of it. */
interface WorkersModule {
  readonly env?: Readonly<Record<string, unknown>>;
  waitUntil?(work: Promise<unknown>): void;
}

/**
 * Whether I/O belongs to the request that started it, as on Cloudflare Workers: a timer, a response or a
 * promise of one request must not be used by another, and is cancelled silently when its request ends.
 */
export function isRequestBound(): boolean {
  const { navigator } = globalThis as { navigator?: { userAgent?: string } };
  return navigator?.userAgent === "Cloudflare-Workers";
}

/** Cloudflare's own module; undefined on other runtimes and without the flag `nodejs_compat`. */
export function workersModule(): WorkersModule | undefined {
  return isRequestBound() ? builtinModule<WorkersModule>("cloudflare:workers") : undefined;
}

/** Keeps the running request alive for some work. False where the runtime offers no way to do that. */
export function keepRequestAlive(work: Promise<unknown>): boolean {
  const module = workersModule();
  if (module?.waitUntil === undefined) return false;
  module.waitUntil(work);
  return true;
}

interface ProcessLike {
  getBuiltinModule?(name: string): unknown;
}

/**
 * One of the runtime's own modules, or undefined where it has none of that name. Not an import: a
 * bundler for the edge would refuse the whole package for it.
 */
export function builtinModule<T>(name: `node:${string}` | "cloudflare:workers"): T | undefined {
  const { process } = globalThis as { process?: ProcessLike };
  return process?.getBuiltinModule?.(name) as T | undefined;
}
