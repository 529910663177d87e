import type { Answer, StreamAnswer } from "./answer.ts";
import { headersOf } from "./base-headers.ts";

/** An answer as a web-standard response, for callers without a socket. */
export function answerResponse(answer: Answer): Response {
  const { status } = answer;
  const headers = new Headers();
  const flat = headersOf(answer);
  for (let n = 0; n < flat.length; n += 2) headers.set(flat[n]!, flat[n + 1]!);
  if (answer.kind === "stream") return new Response(bodyStream(answer), { status, headers });
  if (answer.contentType === null) return new Response(null, { status, headers });
  const length =
    typeof answer.body === "string" ? Buffer.byteLength(answer.body) : answer.body.byteLength;
  headers.set("content-length", String(length));
  return new Response(answer.body as Uint8Array<ArrayBuffer> | string, { status, headers });
}

function bodyStream(answer: StreamAnswer): ReadableStream<Uint8Array> {
  const gone = new AbortController();
  let chunks: AsyncIterator<Uint8Array> | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        chunks ??= answer.open(gone.signal)[Symbol.asyncIterator]();
        const next = await chunks.next();
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
      cancel() {
        gone.abort();
      },
    },
    { highWaterMark: 0 },
  );
}
