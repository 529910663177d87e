/** The parameters of a request. What is undefined or null is left out. */
export type Query = Readonly<Record<string, string | number | null | undefined>>;

export interface PlatformRequest {
  readonly method?: string | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly accept?: string | undefined;
  readonly apiKey?: string | undefined;
  /** Slug or id, for callers that may choose a project. */
  readonly project?: string | null | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** @example queryText({ limit: 10, cursor: undefined }) // "?limit=10" */
export function queryText(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) parameters.set(name, String(value));
  }
  return parameters.size === 0 ? "" : `?${parameters}`;
}

/** Method, headers and body of a request to a platform, for `fetch`. */
export function requestInit({
  method = "GET",
  body,
  accept = "application/json",
  apiKey,
  project,
  headers,
}: PlatformRequest): { method: string; headers: Headers; body?: string } {
  const all = new Headers({ accept, ...headers });
  if (apiKey !== undefined) all.set("authorization", `Bearer ${apiKey}`);
  if (project !== undefined && project !== null) all.set("agate-project", project);
  if (body === undefined) return { method, headers: all };
  all.set("content-type", "application/json");
  return { method, headers: all, body: JSON.stringify(body) };
}
