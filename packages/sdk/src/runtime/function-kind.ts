/** What a call of a function returns, as far as its declaration shows it. */
export type FunctionKind = "plain" | "async" | "generator" | "async-generator";

const KINDS: Readonly<Record<string, FunctionKind>> = {
  "[object AsyncFunction]": "async",
  "[object GeneratorFunction]": "generator",
  "[object AsyncGeneratorFunction]": "async-generator",
};

/** Of which kind a function was declared; one that returns a promise without being `async` is plain. */
export function functionKind(fn: (...args: never[]) => unknown): FunctionKind {
  return KINDS[Object.prototype.toString.call(fn)] ?? "plain";
}

/** Gives a wrapper what the function has that it wraps: its kind, and properties such as a route's path. */
export function inheritingFrom<Wrapper extends (...args: never[]) => unknown>(
  fn: (...args: never[]) => unknown,
  wrapper: Wrapper,
): Wrapper {
  return Object.setPrototypeOf(wrapper, fn);
}
