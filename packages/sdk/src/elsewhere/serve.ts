/** Replaces Node's `serve` on runtimes that listen themselves. */
export function serveOnNode(): never {
  throw new Error(
    "ag.serve() listens on Node, Bun and Deno. This runtime calls a handler itself: write `export default ag.app();`.",
  );
}
