/** Stands in for Node's `serve` where the runtime listens by itself. */
export function serveOnNode(): never {
  throw new Error(
    "ag.serve() listens on Node, Bun and Deno. This runtime calls a handler itself: write `export default ag.app();`.",
  );
}
