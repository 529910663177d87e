import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { PageManifest } from "../page-manifest.ts";
import {
  FIRST_ANSWERS_PLACE,
  FIRST_ROWS_FILE,
  FIRST_ROWS_PLACE,
  MANIFEST_FILE,
  NONCE_PLACE,
  PARTS_PLACE,
} from "../page-manifest.ts";

export interface BuiltPage extends AsyncDisposable {
  readonly folder: URL;
}

export const INDEX = `<!doctype html><meta property="csp-nonce" nonce="${NONCE_PLACE}">${PARTS_PLACE}<style nonce="${NONCE_PLACE}"></style><div id="page">${FIRST_ROWS_PLACE}</div>${FIRST_ANSWERS_PLACE}`;

/** Name → content, as long as that compressing it is worth it. */
export const ASSETS = {
  "init.js": `console.log(${JSON.stringify("agate ".repeat(100))});`,
  "look.css": "p { color: red }\n".repeat(20),
  "mono.woff2": "a font",
} as const;

/** Writes how it was called. */
const FIRST_ROWS = `export const writeFirstRows = (items, { search, now }) =>
  "<p>rows " + items.map(({ id }) => id).join(" ") + search.replaceAll("&", "&amp;") + " " + (now > 0) + " $& ${FIRST_ANSWERS_PLACE}</p>";`;

/** A page as packages/cli/build-page.ts lays it out, with a file beside it that is not the page's. */
export async function writePage(): Promise<BuiltPage> {
  const root = await mkdtemp(join(tmpdir(), "agate-page-"));
  const folder = join(root, "web");
  await mkdir(join(folder, "assets"), { recursive: true });
  await writeFile(join(root, "secret.js"), "secret");
  await writeFile(join(folder, "assets", "unlisted.js"), "secret");
  await writeFile(join(folder, "index.html"), INDEX);
  const manifest: PageManifest = {
    assets: Object.keys(ASSETS),
    entryParts: ["entry.js"],
    parts: { "/traces": ["init.js"] },
    inlineScripts: ["sha256-of-a-script"],
  };
  await writeFile(join(folder, FIRST_ROWS_FILE), FIRST_ROWS);
  await writeFile(join(folder, MANIFEST_FILE), JSON.stringify(manifest));
  for (const [name, content] of Object.entries(ASSETS)) {
    const file = join(folder, "assets", name);
    await writeFile(file, content);
    if (name.endsWith(".woff2")) continue;
    await writeFile(`${file}.br`, brotliCompressSync(content));
    await writeFile(`${file}.gz`, gzipSync(content));
  }
  return {
    folder: pathToFileURL(`${folder}/`),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true }),
  };
}
