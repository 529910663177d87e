import { DeclarationError } from "../config/declaration-error.ts";
import type { RouteDefinition } from "./route-table.ts";
import type { Call } from "./route-types.ts";

type Handler = (this: unknown, input: unknown, call: Call<unknown>) => unknown;

/** Where the routes of methods are declared. */
export interface MethodHost {
  get(path: string): RouteDefinition | undefined;
  /** @throws DeclarationError when the path is taken. */
  add(route: RouteDefinition): void;
  /** Puts a route in the place of the one that has its path. */
  replace(route: RouteDefinition): void;
}

/** On what a decorator returns: the route, and the method as it was written. */
const DECLARED: unique symbol = Symbol.for("agate.sdk.declared-method");

interface Declared {
  readonly route: RouteDefinition;
  readonly target: Handler;
}

/**
 * Declares a decorated method. It is served on its class, or on the first object of it; where a derived
 * class overrides it, the override of that object is. One that is decorated again, with the same path,
 * takes the place of its parent's as soon as there is an object of it.
 *
 * @param wrap makes what code calls
 */
export function declareMethod(
  host: MethodHost,
  definition: Omit<RouteDefinition, "handler" | "method">,
  target: Handler,
  context: ClassMethodDecoratorContext,
  wrap: (route: RouteDefinition) => Handler,
): Handler {
  let owner: object | undefined;
  const route: RouteDefinition = {
    ...definition,
    method: context.name,
    handler(input, call) {
      if (owner === undefined) throw new DeclarationError(ownerless(definition.path, context));
      return methodOn(owner, context, target).call(owner, input, call);
    },
  };
  const declared: Declared = { route, target };
  const wrapper = Object.defineProperty(wrap(route), DECLARED, { value: declared });
  // Whether the class extends the one that has the path is seen once there is an object.
  const mayOverride = host.get(route.path)?.method === context.name;
  if (!mayOverride) host.add(route);
  context.addInitializer(function (this: unknown) {
    if (owner !== undefined) return;
    const object = this as object;
    if (mayOverride && !replaces(object, context.name, route, host.get(route.path))) {
      host.add(route);
    } else if (mayOverride) {
      host.replace(route);
    }
    owner = object;
  });
  return wrapper;
}

/** What an object has as this method: the one that was decorated, or what overrides it. */
function methodOn(owner: object, context: ClassMethodDecoratorContext, target: Handler): Handler {
  const method: unknown = context.private ? target : Reflect.get(owner, context.name);
  if (typeof method !== "function") return target;
  return declaredAs(method)?.target ?? (method as Handler);
}

/** Whether an object has the method of one route in front of that of another. */
function replaces(
  object: object,
  name: string | symbol,
  route: RouteDefinition,
  base: RouteDefinition | undefined,
): boolean {
  let isBelow = false;
  for (let level: object | null = object; level !== null; level = Object.getPrototypeOf(level)) {
    const method: unknown = Object.getOwnPropertyDescriptor(level, name)?.value;
    const declared = declaredAs(method)?.route;
    if (declared === route) isBelow = true;
    else if (declared !== undefined && declared === base) return isBelow;
  }
  return false;
}

function declaredAs(method: unknown): Declared | undefined {
  return typeof method === "function" && DECLARED in method
    ? (method[DECLARED] as Declared)
    : undefined;
}

function ownerless(path: string, { name }: ClassMethodDecoratorContext): string {
  return `The route ${path} is the method ${String(name)}() of a class of which no object was made. Write \`new …()\` once where the app starts, or make the method static.`;
}
