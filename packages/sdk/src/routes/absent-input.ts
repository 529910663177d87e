/**
 * What a function gets as its input where a call has none: `undefined`, or `{}` where `undefined` could
 * only fail, because the function destructures its parameter or does nothing but read its members.
 * Types are gone at run time, so `(name?: string)` and `(filter: { name?: string })` are told apart by
 * the function's source. Where that does not show the parameter, it is `{}`.
 *
 * @example
 * absentInput((name) => name ?? "world")(); // undefined
 * absentInput(({ name = "world" }) => name)(); // {}
 */
export function absentInput(
  handler: (...args: never[]) => unknown,
): () => Record<never, never> | undefined {
  return needsObject(handler) ? () => ({}) : () => undefined;
}

const ARROW = /^(?:async\s+)?([\w$]+)\s*=>/u;
const PARENTHESES = /^[^(]*\(\s*([\w$]+|\{)/u;

function needsObject(handler: (...args: never[]) => unknown): boolean {
  // Parameters with a default are not counted.
  if (handler.length === 0) return false;
  const source = Function.prototype.toString.call(handler);
  const [before, parameter] = ARROW.exec(source) ?? PARENTHESES.exec(source) ?? [];
  if (before === undefined || parameter === undefined || parameter === "{") return true;
  return isOnlyRead(parameter.replaceAll("$", "\\$"), source.slice(before.length));
}

/** Whether every mention of a variable reads a member of it, as in `filter.name`. */
function isOnlyRead(variable: string, source: string): boolean {
  // `...filter` mentions the variable, `this.filter` does not.
  const mentions = source.match(
    new RegExp(`(?<![\\w$]|(?<!\\.\\.)\\.)${variable}(?![\\w$])`, "gu"),
  );
  const reads = source.match(new RegExp(`(?<![\\w$.])${variable}\\s*(?:\\.|\\[)`, "gu"));
  return reads !== null && reads.length === mentions?.length;
}
