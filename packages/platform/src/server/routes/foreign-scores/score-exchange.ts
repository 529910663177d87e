import type { IncomingMessage } from "node:http";
import type { Caller } from "../../../access/caller.ts";
import type { Answer } from "../../answer.ts";
import { jsonAnswer, opaqueAnswer, problemAnswer } from "../../answer.ts";
import { JSON_BODY_ERRORS, readJsonBody } from "../../inputs/json-body.ts";
import { MOST_SCORES, mostScoreBytes } from "../scores.ts";

/** What may be wrong with any request with scores. */
export const SCORE_ERRORS = [...JSON_BODY_ERRORS, "body_invalid", "store_unavailable"] as const;

interface Items {
  readonly value: unknown;
  readonly items: readonly unknown[];
}

/** Reads a body that holds a list of scores. */
export async function bodyOf(
  incoming: IncomingMessage,
  caller: Caller,
  itemsIn: (value: unknown) => readonly unknown[] | undefined,
): Promise<Items | Answer> {
  const body = await readJsonBody(incoming, mostScoreBytes(caller));
  if (body.kind === "problem") return problemAnswer(body.problem);
  const value = body.kind === "json" ? body.value : undefined;
  const items = itemsIn(value);
  if (items !== undefined && items.length >= 1 && items.length <= MOST_SCORES) {
    return { value, items };
  }
  const msg =
    items === undefined
      ? "The body must hold scores as the client's own product takes them."
      : `Must be 1 to ${MOST_SCORES} items (got ${items.length}).`;
  return problemAnswer({ type: "body_invalid", loc: ["body"], msg });
}

export function answer(status: number, value: object): Answer {
  return { ...jsonAnswer(JSON.stringify(value)), status };
}

export function unavailable(): Answer {
  return opaqueAnswer("store_unavailable", { "retry-after": "5" });
}
