import { VERSION } from "../../version.ts";
import { JSON_TYPE, jsonAnswer } from "../answer.ts";
import { opaqueAnswer } from "../errors/error-answer.ts";
import type { Route } from "./route.ts";

/** @param closing Fires when the server begins to end: a load balancer is to send nothing more. */
export function healthRoute(closing: AbortSignal): Route {
  const answer = jsonAnswer(JSON.stringify({ status: "ok", version: VERSION }));
  return {
    method: "GET",
    path: "/health",
    access: "public",
    operation: {
      id: "getHealth",
      tag: "platform",
      summary: "Is the server up?",
      success: {
        status: 200,
        description: "It answers.",
        body: { [JSON_TYPE]: { schema: "Health" } },
      },
      errors: ["shutting_down"],
    },
    handle: () =>
      closing.aborted ? opaqueAnswer("shutting_down", { "retry-after": "5" }) : answer,
  };
}
