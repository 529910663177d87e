import { readFile } from "node:fs/promises";
import type { WriteFirstRows } from "@agate/protocol";
import type { Encoding, PageManifest } from "./page-manifest.ts";
import { ENCODINGS, FIRST_ROWS_FILE, MANIFEST_FILE, PAGE_FOLDER } from "./page-manifest.ts";

/** Beside the built program; run from source there is nothing. */
const BUILT = new URL(`./${PAGE_FOLDER}/`, import.meta.url);

/** The document, with what the manifest tells about it. */
export interface BuiltIndex extends PageManifest {
  readonly html: string;
}

/** The page's files as packages/cli/build-page.ts has laid them out. */
export class PageFiles {
  // Nothing is kept in memory: a browser asks for each file once, and most servers are asked by none.
  readonly #folder: URL;

  /** @param folder Ends with a slash. */
  constructor(folder: URL = BUILT) {
    this.#folder = folder;
  }

  /** `index.html` as it was built; undefined where the page was not. */
  async index(): Promise<BuiltIndex | undefined> {
    const [html, manifest] = await Promise.all([this.#readIfThere("index.html"), this.#manifest()]);
    return html && manifest && { html: html.toString(), ...manifest };
  }

  /** Whether the page has an asset of this name. */
  async has(name: string): Promise<boolean> {
    return (await this.#manifest())?.assets.includes(name) === true;
  }

  /** @param name One that the page has: any other could lead out of the folder. */
  asset(name: string, encoding: Encoding | null): Promise<Uint8Array> {
    const ending = encoding === null ? "" : ENCODINGS[encoding];
    return readFile(new URL(`./assets/${name}${ending}`, this.#folder));
  }

  /** The page's own program that writes the first rows. It is loaded once. */
  async firstRowsWriter(): Promise<WriteFirstRows> {
    const { writeFirstRows } = await import(new URL(FIRST_ROWS_FILE, this.#folder).href);
    return writeFirstRows;
  }

  async #manifest(): Promise<PageManifest | undefined> {
    const text = await this.#readIfThere(MANIFEST_FILE);
    return text && JSON.parse(text.toString());
  }

  async #readIfThere(name: string): Promise<Buffer | undefined> {
    try {
      return await readFile(new URL(name, this.#folder));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }
}
