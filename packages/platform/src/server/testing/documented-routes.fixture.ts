import { sendRequest } from "./send-request.fixture.ts";

/** A route as the running server describes it. */
export interface DocumentedRoute {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly access: string;
  readonly limitedKeys: "allowed" | "checked" | "refused";
  /** Names in the path. */
  readonly parameters: readonly string[];
  /** What its query must have, with examples: `?from=default&to=default`. */
  readonly query: string;
  /** Whether its answer goes on until the client ends it. */
  readonly isEndless: boolean;
  /** A body that it takes; absent where it takes none. */
  readonly body?: { readonly type: string; readonly content: string };
}

interface Operation {
  readonly operationId: string;
  readonly "x-ag-access"?: string;
  readonly "x-ag-limited-keys"?: "checked" | "refused";
  readonly parameters: readonly ParameterObject[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema }> };
  readonly responses: Record<string, { readonly content?: Record<string, unknown> }>;
}

interface ParameterObject {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: Schema;
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
}

/** Every route of a running server, from its own description: those of tomorrow too. */
export async function documentedRoutes(port: number): Promise<readonly DocumentedRoute[]> {
  const { json } = await sendRequest(port, { path: "/openapi.json" });
  const paths = json.paths as Record<string, Record<string, Operation>>;
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      access: operation["x-ag-access"] ?? "public",
      limitedKeys: operation["x-ag-limited-keys"] ?? "allowed",
      parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name),
      query: queryOf(operation),
      isEndless: Object.keys(operation.responses[200]?.content ?? {}).includes("text/event-stream"),
      ...bodyOf(operation),
    })),
  );
}

function queryOf({ parameters }: Operation): string {
  const needed = parameters.filter((parameter) => parameter.in === "query" && parameter.required);
  if (needed.length === 0) return "";
  const query = new URLSearchParams();
  for (const { name, schema } of needed) query.set(name, String(exampleOf(schema)));
  return `?${query}`;
}

function bodyOf({ requestBody }: Operation): Pick<DocumentedRoute, "body"> {
  if (requestBody === undefined) return {};
  const { content } = requestBody;
  const json = content["application/json"];
  if (json !== undefined) {
    const text = JSON.stringify(exampleOf(json.schema));
    return { body: { type: "application/json", content: text } };
  }
  return { body: { type: Object.keys(content)[0] ?? "", content: "" } };
}

function exampleOf(schema: Schema): unknown {
  if (schema.examples !== undefined) return schema.examples[0];
  const { type, properties = {}, required = [] } = schema;
  switch (type) {
    case "string":
      return "example";
    case "integer":
      return schema.minimum ?? 1;
    default:
      return Object.fromEntries(required.map((name) => [name, exampleOf(properties[name] ?? {})]));
  }
}
