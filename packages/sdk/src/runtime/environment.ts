interface Runtimes {
  process?: { env?: Record<string, string | undefined> };
  Deno?: { env: { get(name: string): string | undefined } };
}

/**
 * An environment variable; undefined when it is unset or empty, and where the runtime has no
 * environment or does not let us read it.
 */
export function environment(name: string): string | undefined {
  const { process, Deno } = globalThis as Runtimes;
  const value = process?.env === undefined ? fromDeno(Deno, name) : process.env[name];
  return value === "" ? undefined : value;
}

function fromDeno(deno: Runtimes["Deno"], name: string): string | undefined {
  try {
    return deno?.env.get(name);
  } catch {
    // Deno asks for a permission to read its environment; without it there is none for us.
    return undefined;
  }
}
