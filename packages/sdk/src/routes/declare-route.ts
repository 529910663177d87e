import { compileConfig } from "../config/compile-config.ts";
import type { ConfigDeclaration } from "../config/config-declaration.ts";
import type { ConfigSchema } from "../config/config-schema.ts";
import { DeclarationError } from "../config/declaration-error.ts";
import { functionKind, inheritingFrom } from "../runtime/function-kind.ts";
import { type OptionNames, switchProblem, unknownOption } from "../runtime/unknown-option.ts";
import { messageOf } from "../tracing/describe-thrown.ts";
import { declareMethod, type MethodHost } from "./declare-method.ts";
import type { RouteDefinition } from "./route-table.ts";
import { checkRoutePath } from "./route-table.ts";
import type { Call, DirectCall, RouteOptions } from "./route-types.ts";

type Handler = (this: unknown, input: unknown, call: Call<unknown>) => unknown;

/** What a declaration needs of the app that it is made on. */
export interface RouteHost extends MethodHost {
  /** Runs a route that code calls as the function it is. */
  callDirectly(
    route: RouteDefinition,
    handler: (input: unknown, call: Call<unknown>) => unknown,
    input: unknown,
    call: DirectCall<object> | undefined,
  ): unknown;
}

/**
 * Declares a route from a path and a configuration: returns a function that wraps a handler, or, as
 * a standard decorator, a method.
 *
 * @throws DeclarationError which says what to write.
 */
export function declareRoute(
  host: RouteHost,
  path: string,
  given: ConfigDeclaration | RouteOptions,
  isEntrypoint: boolean,
  more: readonly unknown[] = [],
) {
  checkRoutePath(path);
  if (more.length > 0) {
    throw new DeclarationError(
      `The route ${path} is given its function as an argument. Write ag.route(${JSON.stringify(path)}, …)(async (input) => …).`,
    );
  }
  const options = optionsOf(path, given);
  const name = path === "/" ? path : path.slice(1);
  const definition = {
    path,
    name,
    spanName: `invoke_workflow ${name}`,
    config: compiled(path, options.config),
    input: options.input,
    output: options.output,
    chunk: options.stream,
    timeout: options.timeout,
    description: options.description,
    exposeErrors: options.exposeErrors,
    rules: options,
    isEntrypoint,
  };

  return (target: Handler, context?: ClassMethodDecoratorContext): Handler => {
    if (context !== undefined) checkContext(path, context);
    if (typeof target !== "function") {
      throw new DeclarationError(
        `The route ${path} wraps something that is not a function. Write ag.route(${JSON.stringify(path)}, …)(async (input) => …).`,
      );
    }
    if (context === undefined) {
      const route = { ...definition, ...functionOf(target), handler: target };
      host.add(route);
      return Object.defineProperties(directly(host, route, target), {
        path: { value: path, enumerable: true },
      });
    }
    return declareMethod(host, { ...definition, ...functionOf(target) }, target, context, (route) =>
      directly(host, route, target),
    );
  };
}

function compiled(path: string, declaration: ConfigDeclaration): ConfigSchema<object> {
  try {
    return compileConfig(declaration);
  } catch (error) {
    if (!DeclarationError.isInstance(error)) throw error;
    throw new DeclarationError(`The route ${path}: ${error.message}`, { cause: error });
  }
}

function functionOf(target: Handler): Pick<RouteDefinition, "kind" | "absentInput" | "declared"> {
  return {
    kind: functionKind(target),
    absentInput: absentInput(target),
    declared: target,
  };
}

/** The function itself, traced when code calls it. */
function directly(host: RouteHost, route: RouteDefinition, target: Handler): Handler {
  // What code passes is a DirectCall: the handler's own type is for what it is given.
  function direct(this: unknown, input: unknown, call: unknown): unknown {
    const handler = (...args: Parameters<Handler>) => target.apply(this, args);
    return host.callDirectly(route, handler, input, call as DirectCall<object> | undefined);
  }
  return inheritingFrom(target, Object.defineProperty(direct, "name", { value: target.name }));
}

const OPTIONS: OptionNames<RouteOptions> = {
  config: true,
  input: true,
  output: true,
  stream: true,
  timeout: true,
  description: true,
  exposeErrors: true,
  ignoreInputs: true,
  ignoreOutputs: true,
  redact: true,
};

function optionsOf(path: string, given: ConfigDeclaration | RouteOptions): RouteOptions {
  const options = isOptions(given) ? given : { config: given };
  const unknown = unknownOption(`The route ${path}`, options, OPTIONS);
  if (unknown !== null) throw new DeclarationError(unknown);
  for (const name of ["input", "output", "stream"] as const) {
    const schema: unknown = options[name];
    if (schema === undefined || isStandardSchema(schema)) continue;
    throw new DeclarationError(
      `The ${name} of the route ${path} is not a Standard Schema: pass a schema of zod, Valibot, ArkType or the like.`,
    );
  }
  const notBoolean = switchProblem("exposeErrors", options.exposeErrors);
  if (notBoolean !== null) throw new DeclarationError(`The route ${path}: ${notBoolean}`);
  const timeout: unknown = options.timeout;
  if (timeout !== undefined && !(typeof timeout === "number" && timeout > 0)) {
    throw new DeclarationError(
      `The timeout of the route ${path} is a number of milliseconds above 0, not ${shown(timeout)}. Infinity is no timeout.`,
    );
  }
  return options;
}

function shown(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : messageOf(value);
}

function isOptions(given: ConfigDeclaration | RouteOptions): given is RouteOptions {
  // A class is a function, and a zod object has no `config` of its own.
  return (
    typeof given === "object" && given !== null && "config" in given && !isStandardSchema(given)
  );
}

function isStandardSchema(value: unknown): boolean {
  return (
    ((typeof value === "object" && value !== null) || typeof value === "function") &&
    "~standard" in value
  );
}

function checkContext(path: string, context: ClassMethodDecoratorContext): void {
  if (typeof context !== "object" || context === null || !("kind" in context)) {
    throw new DeclarationError(
      `The route ${path} is declared with TypeScript's old decorators. Remove "experimentalDecorators" from tsconfig.json: standard decorators need no option.`,
    );
  }
  if ((context.kind as string) !== "method") {
    throw new DeclarationError(
      `The route ${path} decorates a ${context.kind}: only methods can be routes. Wrap a function instead: ag.route(${JSON.stringify(path)}, …)(async (input) => …).`,
    );
  }
}

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
