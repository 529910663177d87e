import type { ServerResponse } from "node:http";
import type { Logger } from "pino";
import { QueryAbandonedError } from "../stores/query-lane.ts";
import { TraceGoneError } from "../stores/span-store.ts";
import type { Answer } from "./answer.ts";
import { pathOf } from "./request-target.ts";
import { sendAnswer } from "./send-answer.ts";

/** Sends an answer and waits until it is handed to the socket. Never rejects once it has begun. */
export type Delivery = (answer: Answer, outgoing: ServerResponse) => void | Promise<void>;

/** Sends answers, and logs why one was broken off: the client can only see that it was. */
export function createDelivery(log: Logger): Delivery {
  return (answer, outgoing) => {
    const sent = sendAnswer(answer, outgoing);
    return sent?.catch((error: unknown) => {
      const request = { method: outgoing.req.method, path: pathOf(outgoing.req.url) };
      if (error instanceof TraceGoneError) {
        log.info(request, "A trace was deleted while it was being sent.");
      } else if (!(error instanceof QueryAbandonedError)) {
        log.error({ err: error, ...request }, "An answer was broken off.");
      }
    });
  };
}
