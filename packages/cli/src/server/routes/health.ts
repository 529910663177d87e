import { VERSION } from "../../version.ts";
import { JSON_TYPE, jsonAnswer } from "../answer.ts";
import type { Route } from "./route.ts";

export function healthRoute(): Route {
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
      errors: [],
    },
    handle: () => answer,
  };
}
