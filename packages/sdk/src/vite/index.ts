// @agate/sdk/vite: what a project with decorated routes adds to its vite.config.ts.
export { agate, type DecoratorPlugin } from "./decorator-plugin.ts";
