import { ContextSlot } from "./context-slot.ts";

/** Routing information that holds until it is disposed of. */
export interface RoutingContextBlock extends RoutingContext, Disposable {}

const PARAMETERS = ["config", "application", "variant", "environment"] as const;
type Parameter = (typeof PARAMETERS)[number];

const EXAMPLES: Readonly<Record<Parameter, string>> = {
  config: "{ temperature: 0.2 }",
  application: '{ slug: "support" }',
  variant: '{ slug: "concise", revision: 3 }',
  environment: '{ slug: "staging" }',
};

/** What an outer block has said that no longer holds once an inner one names another: see below. */
const OVERRIDDEN: Readonly<Record<Parameter, readonly Parameter[]>> = {
  config: [],
  application: ["variant", "config"],
  variant: ["environment", "config"],
  environment: ["variant", "config"],
};

/**
 * Sets routing information for a block: what `ConfigManager.getFromRoute` finds there (contract 4.5),
 * and what routes are configured with that are called there directly.
 * With a callback it holds while that runs, promises included, and its result is returned. Without
 * one it holds until the end of the block, in `using ctx = …`; an async function that is called
 * without `await` shares that block with its caller up to its first `await`, so use the callback there.
 *
 * A block within a block inherits what it does not set. But naming a variant or an environment leaves
 * the outer block's other one and its configuration behind, and naming an application its variant and
 * configuration: those belonged to what was named before.
 *
 * @example
 * await ag.routingContextManager({ config: { temperature: 0 } }, () => summarize({ text }));
 *
 * {
 *   using ctx = ag.routingContextManager({ environment: { slug: "staging" } });
 *   await summarize({ text });
 * }
 * @throws TypeError for anything but plain objects.
 */
export function routingContextManager(info?: RoutingContext): RoutingContextBlock;
export function routingContextManager<R>(
  info: RoutingContext | undefined,
  callback: (context: RoutingContext) => R,
): R;
export function routingContextManager<R>(
  info: RoutingContext = {},
  callback?: (context: RoutingContext) => R,
): RoutingContextBlock | R {
  const context = nestedRouting(routingContext(), checked(info));
  if (callback === undefined) {
    const leave = routingSlot.enter(context);
    return { ...context, [Symbol.dispose]: leave };
  }
  if (typeof callback !== "function") {
    throw new TypeError(
      `The second argument of routingContextManager must be a function, or left out for \`using\` (got ${described(callback)}).`,
    );
  }
  return routingSlot.run(context, () => callback(context));
}

/**
 * The routing information of the block that is running; empty outside of any.
 *
 * @example
 * const { environment } = ag.routingContext();
 */
export function routingContext(): RoutingContext {
  return routingSlot.get() ?? {};
}

/** What holds in a block within a block: see `routingContextManager`. */
export function nestedRouting(outer: RoutingContext, given: RoutingContext): RoutingContext {
  const overridden = new Set<Parameter>();
  for (const parameter of PARAMETERS) {
    if (given[parameter] === undefined) continue;
    for (const other of OVERRIDDEN[parameter]) overridden.add(other);
  }
  const context: Partial<Record<Parameter, Dictionary>> = {};
  for (const parameter of PARAMETERS) {
    const inherited = overridden.has(parameter) ? undefined : outer[parameter];
    const value = given[parameter] ?? inherited;
    if (value !== undefined) context[parameter] = value;
  }
  return context;
}

function checked(info: RoutingContext): RoutingContext {
  if (!isPlainObject(info)) {
    throw new TypeError(
      `The first argument of routingContextManager must be an object such as { config: ${EXAMPLES.config} } (got ${described(info)}).`,
    );
  }
  for (const key of Object.keys(info)) {
    if (!PARAMETERS.some((parameter) => parameter === key)) {
      throw new TypeError(
        `routingContextManager has no parameter ${JSON.stringify(key)}: its parameters are ${PARAMETERS.join(", ")}.`,
      );
    }
  }
  for (const parameter of PARAMETERS) {
    const value = info[parameter];
    if (value === undefined || isPlainObject(value)) continue;
    throw new TypeError(
      `The ${parameter} of routingContextManager must be a plain object, such as ${EXAMPLES[parameter]} (got ${described(value)}).`,
    );
  }
  return info;
}

function isPlainObject(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Objects of another realm (a test runner's, a vm's) have another `Object.prototype`.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function described(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) {
    return typeof value === "string" ? JSON.stringify(value) : String(value);
  }
  const name: unknown = (value as object).constructor?.name;
  return typeof name === "string" && name !== "" && name !== "Object"
    ? `an instance of ${name}: write { ...it } for its fields`
    : "that";
}

/** A dictionary of the contract: string to any. */
export type Dictionary = Readonly<Record<string, unknown>>;

/** What a block of code is routed to: contract 4.5. An empty configuration is present, not absent. */
export interface RoutingContext {
  readonly config?: Dictionary | undefined;
  readonly application?: Dictionary | undefined;
  readonly variant?: Dictionary | undefined;
  readonly environment?: Dictionary | undefined;
}

/** The routing information of the block that is running. */
export const routingSlot = new ContextSlot<RoutingContext>("routing");
