/** What a workflow with one route, `/summarize`, answers at `/openapi.json`, as far as the platform reads it. */
export function workflowOpenapi(config: Readonly<Record<string, object>> = FIELDS): object {
  const body = {
    type: "object",
    properties: {
      config: { type: "object", properties: config },
      inputs: { type: "object", properties: { text: { type: "string" } } },
    },
  };
  return {
    openapi: "3.1.0",
    paths: {
      "/playground/run/summarize": {
        post: {
          "x-ag-route": "/summarize",
          "x-ag-endpoint": "playground",
          requestBody: { content: { "application/json": { schema: body } } },
        },
      },
    },
  };
}

const FIELDS = {
  temperature: {
    type: "number",
    default: 0.7,
    minimum: 0,
    maximum: 2,
    "x-ag-control": "slider",
  },
};
