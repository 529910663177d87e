// Lays the page out as the server finds it, with compressed copies, so that no server compresses it.
import { createHash } from "node:crypto";
import { extname } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Encoding, PageManifest } from "../platform/src/server/page/page-manifest.ts";
import {
  ASSET_KINDS,
  ENCODINGS,
  FIRST_ANSWERS_PLACE,
  FIRST_ROWS_FILE,
  FIRST_ROWS_PLACE,
  MANIFEST_FILE,
  NONCE_PLACE,
  PAGE_FOLDER,
  PARTS_PLACE,
} from "../platform/src/server/page/page-manifest.ts";
import { build as bundlePage } from "../web/build.ts";

interface PageFiles {
  /** Path in dist → content. */
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  /** Every source that is in it, for the licences. */
  readonly inputs: readonly string[];
}

const compress: Readonly<Record<Encoding, (content: Uint8Array) => Promise<Uint8Array>>> = {
  br: promisify(brotliCompress),
  gzip: (content) => promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }),
};

/** Builds the page as files for dist. */
export async function buildPage(): Promise<PageFiles> {
  const page = await bundlePage();
  const files = new Map<string, string | Uint8Array>();
  const assets: string[] = [];
  for (const [path, source] of page.files) {
    const content = Buffer.from(source);
    const file = `${PAGE_FOLDER}/${path}`;
    files.set(file, content);
    if (path === "index.html") {
      // Without them, nothing that a script styles would look right, and pages would take a round trip more.
      for (const place of [NONCE_PLACE, PARTS_PLACE, FIRST_ROWS_PLACE, FIRST_ANSWERS_PLACE]) {
        if (!content.includes(place)) throw new Error(`index.html lacks ${place}.`);
      }
      continue;
    }
    const name = /^assets\/([^/]+)$/.exec(path)?.[1];
    const kind = ASSET_KINDS[extname(path)];
    if (name === undefined || kind === undefined) {
      throw new Error(`Say in page-manifest.ts how ${path} is served.`);
    }
    assets.push(name);
    if (!kind.isText) continue;
    for (const encoding of Object.keys(ENCODINGS) as Encoding[]) {
      files.set(file + ENCODINGS[encoding], await compress[encoding](content));
    }
  }
  const inlineScripts = page.inlineScripts.map(
    (script) => `sha256-${createHash("sha256").update(script).digest("base64")}`,
  );
  const { parts, entryParts } = page;
  const manifest: PageManifest = { assets, parts, entryParts, inlineScripts };
  files.set(`${PAGE_FOLDER}/${FIRST_ROWS_FILE}`, page.firstRows);
  files.set(`${PAGE_FOLDER}/${MANIFEST_FILE}`, JSON.stringify(manifest));
  return { files, inputs: page.inputs };
}
