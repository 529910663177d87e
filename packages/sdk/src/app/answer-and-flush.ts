import type { Answer, EventSource } from "../server/answer.ts";
import type { IncomingCall, WaitUntil } from "../server/incoming-call.ts";

/**
 * Answers a request on a platform that stops the process after an answer, or ends what a request has started
 * together with it: its spans are sent before that. The request is kept alive from the beginning, so that a
 * call whose client goes away ends too, and its span with it.
 */
export async function answerAndFlush(
  incoming: IncomingCall,
  answering: () => Answer | Promise<Answer>,
  flush: () => Promise<void>,
  waitUntil: WaitUntil,
): Promise<Answer> {
  const end = Promise.withResolvers<void>();
  // Where nothing keeps the request alive, the end of the answer waits for the spans.
  const isKept = waitUntil(end.promise.then(flush)) !== false;
  const atEnd = (): void | Promise<void> => (isKept ? end.resolve() : flush());
  try {
    const answer = await answering();
    if (typeof answer.body !== "string") {
      return { ...answer, body: endingWith(answer.body, incoming.signal, atEnd) };
    }
    await atEnd();
    return answer;
  } catch (error) {
    end.resolve();
    throw error;
  }
}

/** The same events, and then a last step: once the last one was taken, or their reader has left. */
function endingWith(
  { events, abandon }: EventSource,
  clientGone: AbortSignal,
  atEnd: () => void | Promise<void>,
): EventSource {
  async function* all(): AsyncGenerator<string, void, void> {
    try {
      yield* events;
    } finally {
      clientGone.removeEventListener("abort", leave);
      await atEnd();
    }
  }
  const ending = all();
  // Cloudflare Workers neither read nor cancel a stream whose client was gone before the answer was ready.
  // It is read to its end, which comes at once, because a generator that never started ignores `return`.
  const leave = async (): Promise<void> => {
    abandon();
    for await (const _event of ending);
  };
  if (clientGone.aborted) void leave();
  else clientGone.addEventListener("abort", leave, { once: true });
  return { events: ending, abandon };
}
