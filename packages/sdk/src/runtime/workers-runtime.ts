import { builtinModule } from "./builtin-module.ts";

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
