/**
 * The method by which an app lists its routes. Registered, so that an app is known as one even where
 * a program holds the SDK twice.
 */
export const ROUTE_PATHS: unique symbol = Symbol.for("agate.sdk.routePaths");
