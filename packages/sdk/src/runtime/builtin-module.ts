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
