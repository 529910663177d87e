import { isRequestBound, workersModule } from "./workers-runtime.ts";

interface Runtimes {
  process?: { env?: Record<string, string | undefined> };
  Deno?: { env: { get(name: string): string | undefined } };
}

type Bindings = Readonly<Record<string, unknown>>;

/** The bindings of a worker, which has one set of them for its whole life. */
const worker: { bindings: Bindings | undefined } = { bindings: undefined };

/**
 * Takes over the `env` that Cloudflare Workers pass to a handler: without the flag `nodejs_compat`, a
 * worker can read its settings from there only. On other runtimes the argument is something else (Hono
 * passes Node's request, Bun its server) and is ignored.
 */
export function useBindings(env: unknown): void {
  if (!isRequestBound() || typeof env !== "object" || env === null) return;
  worker.bindings = env as Bindings;
}

/**
 * An environment variable, or the binding of that name on Cloudflare Workers; undefined when it is
 * unset or empty, and where the runtime has no environment or denies access to it.
 */
export function environment(name: string): string | undefined {
  const value = variable(name) ?? workersModule()?.env?.[name] ?? worker.bindings?.[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function variable(name: string): string | undefined {
  const { process, Deno } = globalThis as Runtimes;
  try {
    return process?.env === undefined ? Deno?.env.get(name) : process.env[name];
  } catch {
    // Deno throws where the program may not read this variable: without --allow-env it has none.
    return undefined;
  }
}

/**
 * A setting of the program, else of the environment. In a program that `agate dev` or the platform runs
 * (`AGATE_LISTEN` is set) the environment wins: a deployed workflow must not use another platform.
 */
export function setting(given: string | undefined, name: string): string | undefined {
  const variable = environment(name);
  const isRunByOthers = environment("AGATE_LISTEN") !== undefined;
  return isRunByOthers ? (variable ?? given) : (given ?? variable);
}

/** The application's slug: the fallback is that of `agate dev`, which knows the project's name. */
export function applicationSetting(given: string | undefined): string | undefined {
  return setting(given, "AGATE_APPLICATION") ?? environment("AGATE_APPLICATION_DEFAULT");
}
