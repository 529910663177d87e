/**
 * Asks a registry, or changes it, as a colleague or the command line would: over HTTP.
 *
 * @param path Below `/registry`: `/applications/quickstart/variants`.
 * @throws when it refuses.
 */
export async function askRegistry<Answer>(
  url: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const response = await fetch(`${url}/registry${path}`, {
    method,
    ...(body !== undefined && {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text === "" ? "null" : text);
}
