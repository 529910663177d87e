import { DeclarationError } from "../config/declaration-error.ts";
import type { TypedBy } from "./app.ts";

/**
 * Checks what an app is typed by: a client would call other paths than the app serves.
 *
 * @param declared The path of each route of the app, by the function or method of its declaration.
 * @throws DeclarationError which says what to write instead.
 */
export function checkTypedBy(declared: WeakMap<object, string>, given: TypedBy): void {
  if (typeof given === "function") {
    checkRoute(declared, given);
    return;
  }
  const entries = Object.entries(given);
  if (entries.length === 0) throw new DeclarationError(NO_METHODS);
  for (const [path, method] of entries) {
    const served = isObject(method) ? declared.get(method) : undefined;
    if (served === path) continue;
    throw new DeclarationError(
      served === undefined
        ? `What is given for ${path} is no route of this app. Decorate the method, @ag.route(${JSON.stringify(path)}, …), and pass it as it is: an overriding or bound method is another one.`
        : `The method given for ${path} is the route ${served}. Write { ${JSON.stringify(served)}: … }.`,
    );
  }
}

const NO_METHODS =
  'An object without routes is given. Pass decorated methods by their paths: ag.app({ "/classify": Support.classify }).';

function checkRoute(declared: WeakMap<object, string>, given: object): void {
  const { path } = given as { readonly path?: unknown };
  if (typeof path !== "string") {
    const served = declared.get(given);
    throw new DeclarationError(
      `${nameOf(given)} is given, which has no path in its type. Pass decorated methods by their paths: ag.app({ ${JSON.stringify(served ?? "/classify")}: … }).`,
    );
  }
  if (declared.get(given) === path) return;
  throw new DeclarationError(
    `The route ${path} was declared on another app. Pass the routes of this one.`,
  );
}

function nameOf(given: object): string {
  const { name } = given as { readonly name?: unknown };
  return typeof name === "string" && name !== "" ? name : "A function";
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
