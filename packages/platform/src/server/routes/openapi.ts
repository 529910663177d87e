import type { FullAnswer } from "../answer.ts";
import { JSON_TYPE, jsonAnswer } from "../answer.ts";
import { makeOnce } from "../make-once.ts";
import type { Route } from "./route.ts";

/**
 * `GET /openapi.json`: what all the routes say about themselves.
 *
 * @param routes Called late: this route is one of them.
 */
export function openapiRoute(routes: () => readonly Route[]): Route {
  const describeOnce = makeOnce(() => describe(routes()));
  return {
    method: "GET",
    path: "/openapi.json",
    access: "public",
    operation: {
      id: "getOpenapi",
      tag: "platform",
      summary: "Get this description",
      success: {
        status: 200,
        description: "OpenAPI 3.1.",
        body: { [JSON_TYPE]: { schema: { type: "object" } } },
      },
      errors: [],
    },
    handle: describeOnce,
  };
}

/** Loaded late: the schemas need zod, which would slow every start down. */
async function describe(routes: readonly Route[]): Promise<FullAnswer> {
  const { openapiDocument } = await import("../openapi/openapi-document.ts");
  return jsonAnswer(JSON.stringify(openapiDocument(routes)));
}
