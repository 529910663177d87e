/** The page in the tool's folder: made by packages/cli/build-page.ts, read by page-files.ts. */
export interface PageManifest {
  /** Names in `/assets/`. Nothing else is served. */
  readonly assets: readonly string[];
  /** The scripts that every page needs besides the one in `index.html`. */
  readonly entryParts: readonly string[];
  /** Path of a page → the scripts that it needs besides those. */
  readonly parts: Readonly<Record<string, readonly string[]>>;
  /** Hashes of the scripts within `index.html`, as the policy names them. */
  readonly inlineScripts: readonly string[];
}

/** Below the folder of the tool's programs. */
export const PAGE_FOLDER = "web";
export const MANIFEST_FILE = "manifest.json";
/** Exports `writeFirstRows`, which is of the type `WriteFirstRows`. Not served: the server runs it. */
export const FIRST_ROWS_FILE = "first-rows.js";

/** In `index.html`, where each answer has a nonce of its own. */
export const NONCE_PLACE = "__CSP_NONCE__";
/** In `index.html`, where an answer names the scripts of the page that is opened, if it has no first rows. */
export const PARTS_PLACE = "<!-- parts -->";
/** In `index.html`, where an answer has what the page would ask for first. */
export const FIRST_ANSWERS_PLACE = "<!-- first answers -->";
/** In `index.html`, where an answer has the newest traces as HTML. */
export const FIRST_ROWS_PLACE = "<!-- first rows -->";

/** Content coding → how the name of its copy ends. Those that are preferred come first. */
export const ENCODINGS = { br: ".br", gzip: ".gz" } as const;

export type Encoding = keyof typeof ENCODINGS;

export interface AssetKind {
  readonly contentType: string;
  /** Whether there is a copy in each of {@link ENCODINGS}: fonts are compressed already. */
  readonly isText: boolean;
}

/** How a name ends → what it is. */
export const ASSET_KINDS: Readonly<Record<string, AssetKind>> = {
  ".js": { contentType: "text/javascript; charset=utf-8", isText: true },
  ".css": { contentType: "text/css; charset=utf-8", isText: true },
  ".svg": { contentType: "image/svg+xml", isText: true },
  ".woff2": { contentType: "font/woff2", isText: false },
};
