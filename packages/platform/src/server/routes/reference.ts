import * as z from "zod/mini";
import type { FullAnswer } from "../answer.ts";
import { JSON_TYPE, jsonAnswer, problemAnswer } from "../answer.ts";
import type { DocsAsset } from "../docs/docs-page.ts";
import { DOCS_PAGE, DOCS_POLICY, DOCS_SCRIPT, readDocsAsset } from "../docs/docs-page.ts";
import { documented } from "../inputs/input-kinds.ts";
import type { Route } from "../route.ts";
import { content, route } from "../route.ts";

const HTML = "text/html; charset=utf-8";
const CSS = "text/css; charset=utf-8";
const JAVASCRIPT = "text/javascript; charset=utf-8";

/**
 * The description of all routes, for programs and for people.
 *
 * @param routes Called late: these routes are among them.
 */
export function referenceRoutes(routes: () => readonly Route[]): readonly Route[] {
  return [openapiRoute(routes), docsRoute(), docsFileRoute()];
}

function openapiRoute(routes: () => readonly Route[]): Route {
  return route({
    method: "GET",
    path: "/openapi.json",
    access: "public",
    id: "getOpenapi",
    tag: "platform",
    summary: "Get this description",
    success: content(JSON_TYPE, "OpenAPI 3.1.", { type: "object" }),
    errors: [],
    answer: makeOnce(() => describe(routes())),
  });
}

/** Loaded late: the schemas of all answers need the whole of zod, which would slow every start. */
async function describe(routes: readonly Route[]): Promise<FullAnswer> {
  const { openapiDocument } = await import("../openapi/openapi-document.ts");
  return jsonAnswer(JSON.stringify(openapiDocument(routes)));
}

/** `GET /docs`: the reference for people to read and try. */
function docsRoute(): Route {
  return route({
    method: "GET",
    path: "/docs",
    access: "public",
    id: "getReference",
    tag: "platform",
    summary: "Browse this reference",
    success: content(HTML, "A page that needs no other host."),
    errors: [],
    answer: () => ({
      kind: "full",
      status: 200,
      contentType: HTML,
      body: DOCS_PAGE,
      headers: { "content-security-policy": DOCS_POLICY, "referrer-policy": "no-referrer" },
    }),
  });
}

/** `GET /docs/{file}`: what the page is made of. */
function docsFileRoute(): Route {
  const script = async (): Promise<FullAnswer> => file(JAVASCRIPT, DOCS_SCRIPT);
  const files: Readonly<Record<string, () => Promise<FullAnswer>>> = {
    "init.js": script,
    "swagger-ui.css": asset("swagger-ui.css", CSS),
    "swagger-ui-bundle.js": asset("swagger-ui-bundle.js", JAVASCRIPT),
  };
  return route({
    method: "GET",
    path: "/docs/{file}",
    access: "public",
    id: "getReferenceFile",
    tag: "platform",
    summary: "Get a file of the reference page",
    params: () =>
      z.object({
        file: documented(z.string(), { description: "Name." }, { enum: Object.keys(files) }),
      }),
    success: {
      status: 200,
      description: "The file.",
      body: { [JAVASCRIPT]: { type: "string" }, [CSS]: { type: "string" } },
    },
    errors: ["route_not_found"],
    answer: ({ params }) => {
      const open = Object.hasOwn(files, params.file) ? files[params.file] : undefined;
      return (
        open?.() ??
        problemAnswer({
          type: "route_not_found",
          loc: ["path", "file"],
          msg: "The reference has no such file.",
        })
      );
    },
  });
}

/** Read when it is first asked for: most servers are never asked. */
function asset(name: DocsAsset, contentType: string): () => Promise<FullAnswer> {
  return makeOnce(async () => file(contentType, await readDocsAsset(name)));
}

function file(contentType: string, body: string | Uint8Array): FullAnswer {
  return {
    kind: "full",
    status: 200,
    contentType,
    body,
    headers: { "cache-control": "max-age=3600" },
  };
}

/** Makes a thing when it is first asked for and keeps it; a failure is not kept. */
function makeOnce<Thing>(make: () => Promise<Thing>): () => Promise<Thing> {
  let made: Promise<Thing> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
