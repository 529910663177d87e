import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** Files of Swagger UI that the reference at `/docs` is made of. */
export type DocsAsset = "swagger-ui.css" | "swagger-ui-bundle.js";

/** Reads a file of Swagger UI: from beside the built bundle, or, run from source, from its package. */
export function readDocsAsset(name: DocsAsset): Promise<Uint8Array> {
  const built = new URL(`./docs/${name}`, import.meta.url);
  const url = existsSync(built) ? built : import.meta.resolve(`swagger-ui-dist/${name}`);
  return readFile(fileURLToPath(url));
}
