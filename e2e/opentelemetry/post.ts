import type { SpanRecord } from "@agate/protocol";

/** What a route answers with. */
export interface Answer {
  readonly data?: unknown;
  readonly trace_id: string;
  readonly span_id: string;
  readonly trace?: SpanRecord;
  readonly detail?: readonly { readonly msg: string; readonly type: string }[];
  readonly stack?: string;
}

/** Sends JSON, and gives the JSON of the answer. */
export async function post(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly headers: Headers; readonly body: Answer }> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Answer,
  };
}
