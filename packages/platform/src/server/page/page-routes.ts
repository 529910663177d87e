import { extname } from "node:path";
import * as z from "zod/mini";
import type { Answer, AnswerHeaders } from "../answer.ts";
import { problemAnswer } from "../answer.ts";
import { chooseEncoding } from "../choose-encoding.ts";
import { name } from "../inputs/input-kinds.ts";
import type { Route } from "../route.ts";
import { content, route } from "../route.ts";
import { type FirstContentSources, firstContent } from "./first-content.ts";
import { HTML, indexAnswer } from "./index-answer.ts";
import type { PageFiles } from "./page-files.ts";
import type { Encoding } from "./page-manifest.ts";
import { ASSET_KINDS, ENCODINGS } from "./page-manifest.ts";

const OFFERED = Object.keys(ENCODINGS) as Encoding[];

/**
 * Where the page itself tells what is shown: one document answers them all. Named one by one, so that
 * a mistyped path of the interface stays a 404 for programs.
 */
export const PAGE_PATHS = [
  "/traces/*",
  "/testsets/*",
  "/runs/*",
  "/apps/*",
  "/settings/*",
  "/playground",
  "/dashboard",
];

/** A busy store may take longer than the document should: the page asks for the list itself then. */
const WAIT_MS = 1000;

export interface PageRouteOptions extends FirstContentSources {
  /** How long the document waits for what is put into it; a second by default. */
  readonly waitMs?: number | undefined;
}

/** The page, for people with a browser. */
export function pageRoutes(files: PageFiles, options: PageRouteOptions): readonly Route[] {
  return [indexRoute(files, options), assetRoute(files)];
}

function indexRoute(files: PageFiles, { waitMs = WAIT_MS, ...sources }: PageRouteOptions): Route {
  return route({
    method: "GET",
    path: "/",
    alsoAt: PAGE_PATHS,
    access: "public",
    id: "getPage",
    tag: "platform",
    summary: "Open the web page",
    description: `Playground, traces, registry and dashboard, for a browser. The same document is at ${PAGE_PATHS.map((path) => `\`${path}\``).join(", ")}.`,
    success: {
      ...content(HTML, "A page that needs no other host."),
      headers: {
        "content-security-policy": "What it may load and run.",
        "cache-control":
          "`no-store`: it holds who is signed in, and at `/traces` the newest traces.",
      },
    },
    errors: ["route_not_found"],
    answer: async ({ incoming, gone }) => {
      const index = await files.index();
      if (index === undefined) return NOT_BUILT;
      const enough = AbortSignal.any([gone(), AbortSignal.timeout(waitMs)]);
      const writer = () => files.firstRowsWriter();
      const first = await firstContent(sources, writer, incoming, enough);
      return indexAnswer(index, incoming.url, first);
    },
  });
}

/** The page's own "not found", for a browser that opens a path that is not there. */
export async function notFoundPage(files: PageFiles): Promise<Answer | undefined> {
  const index = await files.index();
  return index && { ...indexAnswer(index), status: 404 };
}

/** Whether a browser opens a document: programs and scripts do not ask for HTML. */
export function opensDocument(method: string, accept: string | undefined): boolean {
  const isRead = method === "GET" || method === "HEAD";
  return isRead && accept !== undefined && /\btext\/html\b/i.test(accept);
}

const NOT_BUILT = problemAnswer({
  type: "route_not_found",
  loc: ["path"],
  msg: "The web page is not here: this server runs from source. `npm run build` builds the tool with its page, packages/cli/dist/agate.js.",
});

function assetRoute(files: PageFiles): Route {
  return route({
    method: "GET",
    path: "/assets/{file}",
    access: "public",
    id: "getPageFile",
    tag: "platform",
    summary: "Get a file of the web page",
    description: "Its name has a hash of its content: it never changes.",
    params: () =>
      z.object({
        file: name({ description: "Name, as the page has it.", example: "index-DphygXFV.css" }),
      }),
    success: {
      status: 200,
      description: "The file, compressed as `Accept-Encoding` allows.",
      body: Object.fromEntries(
        Object.values(ASSET_KINDS).map(({ contentType }) => [contentType, { type: "string" }]),
      ),
      headers: {
        "content-encoding": "`br` or `gzip`; absent where it is not compressed.",
        "cache-control": "May be kept for ever.",
      },
    },
    errors: ["route_not_found"],
    answer: ({ params, incoming }) =>
      assetAnswer(files, params.file, incoming.headers["accept-encoding"]),
  });
}

async function assetAnswer(
  files: PageFiles,
  name: string,
  accepted: string | undefined,
): Promise<Answer> {
  const kind = ASSET_KINDS[extname(name)];
  if (kind === undefined || !(await files.has(name))) {
    return problemAnswer({
      type: "route_not_found",
      loc: ["path", "file"],
      msg: "The page has no such file. It may be of another version: load the page again.",
    });
  }
  const encoding = kind.isText ? chooseEncoding(OFFERED, accepted) : null;
  const headers: AnswerHeaders = {
    "cache-control": "public, max-age=31536000, immutable",
    ...(kind.isText && { vary: "accept-encoding" }),
    ...(encoding !== null && { "content-encoding": encoding }),
  };
  const body = await files.asset(name, encoding);
  return { kind: "full", status: 200, contentType: kind.contentType, body, headers };
}
