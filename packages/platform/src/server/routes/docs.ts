import type { FullAnswer } from "../answer.ts";
import type { DocsAsset } from "../docs/docs-assets.ts";
import { readDocsAsset } from "../docs/docs-assets.ts";
import { DOCS_PAGE, DOCS_POLICY, DOCS_SCRIPT } from "../docs/docs-page.ts";
import { problemAnswer } from "../errors/error-answer.ts";
import { makeOnce } from "../make-once.ts";
import type { Route } from "./route.ts";

const HTML = "text/html; charset=utf-8";
const CSS = "text/css; charset=utf-8";
const JAVASCRIPT = "text/javascript; charset=utf-8";

/** `GET /docs`: the reference for people to read and try. */
export function docsRoute(): Route {
  return {
    method: "GET",
    path: "/docs",
    access: "public",
    operation: {
      id: "getReference",
      tag: "platform",
      summary: "Browse this reference",
      success: {
        status: 200,
        description: "A page that needs no other host.",
        body: { [HTML]: { schema: { type: "string" } } },
      },
      errors: [],
    },
    handle: () => ({
      kind: "full",
      status: 200,
      contentType: HTML,
      body: DOCS_PAGE,
      headers: { "content-security-policy": DOCS_POLICY, "referrer-policy": "no-referrer" },
    }),
  };
}

/** `GET /docs/{file}`: what the page is made of. */
export function docsFileRoute(): Route {
  const script = async (): Promise<FullAnswer> => file(JAVASCRIPT, DOCS_SCRIPT);
  const files: Readonly<Record<string, () => Promise<FullAnswer>>> = {
    "init.js": script,
    "swagger-ui.css": asset("swagger-ui.css", CSS),
    "swagger-ui-bundle.js": asset("swagger-ui-bundle.js", JAVASCRIPT),
  };
  return {
    method: "GET",
    path: "/docs/{file}",
    access: "public",
    operation: {
      id: "getReferenceFile",
      tag: "platform",
      summary: "Get a file of the reference page",
      pathParameters: {
        file: { description: "Name.", schema: { type: "string", enum: Object.keys(files) } },
      },
      success: {
        status: 200,
        description: "The file.",
        body: {
          [JAVASCRIPT]: { schema: { type: "string" } },
          [CSS]: { schema: { type: "string" } },
        },
      },
      errors: ["route_not_found"],
    },
    handle: (request) => {
      const name = request.params.file ?? "";
      const open = Object.hasOwn(files, name) ? files[name] : undefined;
      return (
        open?.() ??
        problemAnswer({
          type: "route_not_found",
          loc: ["path", "file"],
          msg: "The reference has no such file.",
        })
      );
    },
  };
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
