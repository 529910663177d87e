import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/**
 * The browsable reference. Nothing in it comes from another host, and no script is inline, so that
 * {@link DOCS_POLICY} can forbid both.
 */
export const DOCS_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Agate API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/init.js"></script>
  </body>
</html>
`;

/** Starts the page. The validator is a service elsewhere; it is not asked. */
export const DOCS_SCRIPT = `SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  validatorUrl: null,
});
`;

/** Swagger UI sets style attributes and has its icons as data URLs; everything else is our own. */
export const DOCS_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Files of Swagger UI that the reference at `/docs` is made of. */
export type DocsAsset = "swagger-ui.css" | "swagger-ui-bundle.js";

/** Reads a file of Swagger UI: from beside the built bundle, or, run from source, from its package. */
export function readDocsAsset(name: DocsAsset): Promise<Uint8Array> {
  const built = new URL(`./docs/${name}`, import.meta.url);
  const url = existsSync(built) ? built : import.meta.resolve(`swagger-ui-dist/${name}`);
  return readFile(fileURLToPath(url));
}
