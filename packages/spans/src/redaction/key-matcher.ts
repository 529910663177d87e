/** Says whether the value at a path is to be hidden. */
export interface KeyMatcher {
  /** Whether an attribute of this name is hidden, also where the name is a flattened path. */
  hidesAttribute(name: string): boolean;
  /** Of a value inside an attribute: its keys and indexes from the top of the value. */
  hides(path: readonly string[]): boolean;
  /** Likewise, for a value inside an attribute whose name is these first steps. */
  hidesBelow(base: readonly string[], path: readonly string[]): boolean;
}

/**
 * Matches as the SDK's `redact` does: a name without dots at any depth, one with dots as a path from
 * the top of the value, `*` for any one step. An attribute's name counts as a path, so that `content`
 * hides `gen_ai.prompt.0.content`; Agate's own names (`ag.…`) are hidden only by their full name.
 */
export function createKeyMatcher(keys: readonly string[]): KeyMatcher {
  const names = new Set(keys.filter((key) => !key.includes(".")));
  const whole = new Set(keys);
  const paths = keys.filter((key) => key.includes(".")).map((key) => key.split("."));
  const longest = Math.max(0, ...paths.map(({ length }) => length));

  function hides(path: readonly string[]): boolean {
    return names.has(path.at(-1) ?? "") || paths.some((pattern) => isAt(pattern, path));
  }

  function hidesBelow(base: readonly string[], path: readonly string[]): boolean {
    if (hides(path)) return true;
    // Copied only where a key can match: for each value of a deep JSON it would take quadratic time.
    return base.length > 0 && base.length + path.length <= longest && hides([...base, ...path]);
  }

  function hidesAttribute(name: string): boolean {
    if (whole.has(name)) return true;
    if (name.startsWith("ag.")) return false;
    const path = name.split(".");
    return path.some((step) => names.has(step)) || paths.some((p) => isAbove(p, path));
  }

  return { hides, hidesBelow, hidesAttribute };
}

function isAt(pattern: readonly string[], path: readonly string[]): boolean {
  return pattern.length === path.length && isAbove(pattern, path);
}

function isAbove(pattern: readonly string[], path: readonly string[]): boolean {
  return (
    pattern.length <= path.length &&
    pattern.every((step, index) => step === "*" || step === path[index])
  );
}
