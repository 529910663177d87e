import { type Answered, redirectOf, requestFailure } from "./call-failures.ts";
import { errorOf } from "./read-answer.ts";

interface Post {
  readonly headers: Headers;
  readonly body: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * Sends a request and waits for the beginning of its answer.
 *
 * @throws ClientError where there is none, or one with an error status.
 */
export async function post(
  url: string,
  { headers, body, signal }: Post,
  send: typeof fetch = fetch,
): Promise<Answered> {
  let response: Response;
  try {
    // Most redirects would turn the call into a GET without a body.
    const request = { method: "POST", redirect: "manual" } as const;
    response = await send(url, { ...request, headers, body, signal: signal ?? null });
  } catch (thrown) {
    throw requestFailure(url, thrown, signal);
  }
  const answered = { url, response, signal };
  const redirect = redirectOf(answered);
  if (redirect !== null || !response.ok) {
    const failure = redirect ?? (await errorOf(answered));
    // Where the body was not read, it would hold the connection.
    await response.body?.cancel().catch(() => {});
    throw failure;
  }
  return answered;
}
