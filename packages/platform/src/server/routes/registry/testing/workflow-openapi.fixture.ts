/** Fields of a configuration, as JSON Schemas. */
type Fields = Readonly<Record<string, object>>;

const FIELDS: Fields = {
  temperature: {
    type: "number",
    default: 0.7,
    minimum: 0,
    maximum: 2,
    "x-ag-control": "slider",
  },
};

/** What a workflow with one route, `/summarize`, answers at `/openapi.json`, as far as the platform reads it. */
export function workflowOpenapi(config: Fields = FIELDS): object {
  return routesOpenapi({ "/summarize": config });
}

/** The same of a workflow with these routes. */
export function routesOpenapi(routes: Readonly<Record<string, Fields>>): object {
  const paths = Object.entries(routes).map(([route, config]) => [
    `/playground/run${route}`,
    { post: operationOf(route, config) },
  ]);
  return { openapi: "3.1.0", paths: Object.fromEntries(paths) };
}

function operationOf(route: string, config: Fields): object {
  const body = {
    type: "object",
    properties: {
      config: { type: "object", properties: config },
      inputs: { type: "object", properties: { text: { type: "string" } } },
    },
  };
  return {
    "x-ag-route": route,
    "x-ag-endpoint": "playground",
    requestBody: { content: { "application/json": { schema: body } } },
  };
}

/** Of a workflow that takes these parameters, and has them as its defaults. */
export function openapiOf(params: Readonly<Record<string, Readonly<Record<string, unknown>>>>) {
  const routes = Object.entries(params).map(([route, values]): [string, Fields] => [
    route,
    Object.fromEntries(
      Object.entries(values).map(([field, value]) => [
        field,
        { type: typeof value, default: value, "x-ag-control": "text-area" },
      ]),
    ),
  ]);
  // Every workflow has a route.
  return routesOpenapi(routes.length > 0 ? Object.fromEntries(routes) : { "/unused": {} });
}
